import type { Tidegate } from '../../../app/index.js';
import { type Given, type OptionSpec, textOption } from '../../command.js';
import { Failure } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import { tierDescriptions } from './tier-descriptions.js';
import { summaryOf, type Tool } from './with-tools.js';

const effects = ['read', 'write', 'execute', 'ask'] as const satisfies readonly Tool['effect'][];
const tiers = [...Object.keys(tierDescriptions), 'none'];

export const toolFilterOptions: readonly OptionSpec[] = [
  {
    name: 'tier',
    value: 'n',
    about: `Only tools in these tiers, separated by commas: ${tiers.join(', ')}. Tools from servers have no tier.`,
  },
  {
    name: 'server',
    value: 'name',
    about: 'Only tools from this server or plugin; `builtin` for built-in tools.',
  },
  { name: 'effect', value: 'effect', about: `Only tools with this effect: ${effects.join(', ')}.` },
];

/** Builds the filter; the servers are known only after listing. */
export function toolFilter(given: Given): (servers: readonly string[]) => (tool: Tool) => boolean {
  const wanted = textOption(given, 'tier')
    ?.split(',')
    .map((text) => text.trim());
  for (const tier of wanted ?? []) if (!tiers.includes(tier)) throw unknown('tier', tier, tiers);
  const effect = textOption(given, 'effect');
  if (effect !== undefined && !effects.some((one) => one === effect))
    throw unknown('effect', effect, effects);
  const server = textOption(given, 'server');
  const words = given.arguments.flatMap((text) => text.toLowerCase().split(/\s+/));
  return (servers) => {
    if (server !== undefined && !servers.includes(server)) throw unknown('server', server, servers);
    return (tool) => {
      const text = `${tool.name} ${summaryOf(tool)}`.toLowerCase();
      return (
        (wanted === undefined || wanted.includes(String(tool.tier ?? 'none'))) &&
        (effect === undefined || tool.effect === effect) &&
        (server === undefined || serverOf(tool) === server) &&
        words.every((word) => text.includes(word))
      );
    };
  };
}

/** All servers, including those that are down. */
export function serversIn(tools: readonly Tool[], { gateway }: Pick<Tidegate, 'gateway'>): readonly string[] {
  return [...new Set([...tools, ...gateway.registry.status()].map(serverOf))];
}

function serverOf({ source }: Pick<Tool, 'source'>): string {
  return source.slice(source.indexOf(':') + 1);
}

function unknown(option: string, value: string, known: readonly string[]): Failure {
  const near = didYouMean(value, known);
  return new Failure(
    'usage.bad_value',
    `--${option} does not accept "${value}". Available: ${known.join(', ')}.${near}`,
    'tidegate tools list --help',
  );
}
