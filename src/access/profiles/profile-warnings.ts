import { matchesPattern, type ToolSpec } from '../../core/index.js';
import { providerObject, toolObject } from '../object-ids.js';
import { hasWildcard, targetObject } from './entry.js';
import type { EntryTarget, PlacedEntry, ProfileProblem, Profiles } from './profile.js';
import { type Nearest, quoted } from './reading.js';

/** The fields needed to match a tool against an entry. */
export type KnownTool = Pick<ToolSpec, 'name' | 'localName' | 'source' | 'tier'>;

/** More warnings do not help, and searching for similar names is slow. */
const most = { warnings: 100, suggestions: 20 };

/** Warns about entries that match no tool. They are most likely typos, and a mistyped block leaves a gap. */
export function profileWarnings(
  { profiles, principals }: Pick<Profiles, 'profiles' | 'principals'>,
  tools: readonly KnownTool[],
  nearest: Nearest,
): readonly ProfileProblem[] {
  const catalogue = index(tools);
  const entries: readonly PlacedEntry[] = [
    ...[...profiles.values()].flatMap((profile) =>
      profile.isShipped ? [] : profile.entries.filter(({ from }) => from === profile.name),
    ),
    ...principals.flatMap(({ add, remove }) => [...add, ...remove]),
  ];
  const known = new Map<string, boolean>();
  const isKnown = ({ target, object }: PlacedEntry): boolean => {
    const answer = known.get(object) ?? fits(target, catalogue);
    known.set(object, answer);
    return answer;
  };
  return entries
    .filter((entry) => !isKnown(entry))
    .slice(0, most.warnings)
    .map((entry, at) => warningOf(entry, catalogue, at < most.suggestions ? nearest : () => undefined));
}

interface Index {
  readonly tools: readonly KnownTool[];
  readonly names: ReadonlySet<string>;
  readonly objects: ReadonlySet<string>;
}

function index(tools: readonly KnownTool[]): Index {
  return {
    tools,
    names: new Set(tools.map(({ name }) => name)),
    objects: new Set(tools.flatMap((tool) => [toolObject(tool), providerObject(tool.source)])),
  };
}

function fits(target: EntryTarget, { tools, names, objects }: Index): boolean {
  if (target.kind === 'tier') return tools.some(({ tier }) => tier === target.tier);
  if (target.kind !== 'glob') return objects.has(targetObject(target));
  const { pattern } = target;
  if (pattern === '*' || !hasWildcard(pattern)) return pattern === '*' || names.has(pattern);
  return tools.some(({ name }) => matchesPattern(pattern, name));
}

function warningOf(
  { text, target, path }: PlacedEntry,
  { tools, names }: Index,
  nearest: Nearest,
): ProfileProblem {
  const word = text.replace(/^!/, '');
  const near = nearest(word, target.kind === 'glob' ? [...names] : qualifiedNames(target, tools));
  return {
    code: 'profiles.unknown_tool',
    severity: 'warning',
    path,
    message: `${quoted(text)} matches no tool that exists now.`,
    ...(near !== undefined && { remedy: `Did you mean \`${near}\`?` }),
  };
}

function qualifiedNames({ kind }: EntryTarget, tools: readonly KnownTool[]): readonly string[] {
  if (kind === 'provider') return [...new Set(tools.map(({ source }) => source))];
  return tools.map(({ source, localName }) => `${source}/${localName}`);
}
