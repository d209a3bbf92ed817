import type { CostReport } from '../../../features/context/index.js';
import { printable } from '../../../config/index.js';
import {
  asOption,
  type Command,
  configOption,
  type Context,
  type Given,
  profileOptions,
  textOption,
  toolsOption,
} from '../../command.js';
import { showCosts } from './cost-view.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import { untilSettled } from '../../until-settled.js';
import { trustHint, withGateway } from '../../with-gateway.js';

export const toolsCost: Command = {
  name: 'tools cost',
  summary: 'Show the token cost of your tools, and suggest what to pin, defer or drop.',
  options: [
    configOption,
    asOption,
    ...profileOptions,
    toolsOption,
    { name: 'server', value: 'name', about: 'Only tools from this server or plugin.' },
    {
      name: 'top',
      value: 'n',
      about: 'Number of tools to show, most expensive first. Default: 10; 0 shows none.',
    },
    {
      name: 'client',
      value: 'name',
      about: 'Show what this client would see: claude-code, opencode.',
    },
    { name: 'exact', about: 'Count tokens with the o200k tokenizer instead of estimating.' },
  ],
  examples: [
    'tidegate tools cost',
    'tidegate tools cost --server github --top 50',
    'tidegate tools cost --as agent:alice --exact --json',
  ],
  async run(given, context) {
    const top = topOf(textOption(given, 'top'));
    const report = ofServer(await reportOf(given, context), textOption(given, 'server'));
    context.output.json(report);
    showCosts(report, { top, client: textOption(given, 'client') }, context.output);
    return exitCodes.ok;
  },
};

const most = 100_000;

function topOf(text: string | undefined): number {
  if (text === undefined) return 10;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  throw new Failure('usage.bad_value', `--top takes a number, not "${text}".`, 'tidegate tools cost --help');
}

function reportOf(given: Given, context: Context): Promise<CostReport> {
  return withGateway(given, context, 'command', async (tidegate) => {
    await untilSettled(tidegate, context);
    const untrusted = trustHint(tidegate);
    if (untrusted !== undefined)
      context.output.note(
        `Servers from an untrusted file are not included. Review it, then run: ${untrusted}`,
      );
    for (const { id, state } of tidegate.gateway.registry.status())
      if (state === 'failed' || state === 'pending')
        context.output.note(
          `${printable(id)} ${state === 'failed' ? 'failed' : 'is still starting'}, so its tools are not counted`,
        );
    const { costReport, recordedUses } = await import('../../../features/context/index.js');
    const principal = textOption(given, 'as');
    const uses = await recordedUses(tidegate, { ...(principal !== undefined && { principal }) }).catch(
      (error: unknown) => {
        context.output.note(`Cannot read the call records: ${String(error)}`);
        return undefined;
      },
    );
    const client = textOption(given, 'client');
    return costReport({
      gateway: tidegate.gateway,
      opened: tidegate.exposure,
      session: tidegate.localSession('connection'),
      isExact: given.options['exact'] === true,
      uses,
      prefixes: new Map(tidegate.config.servers.map(({ name, prefix }) => [name, prefix])),
      ...(client !== undefined && { client }),
    });
  });
}

/** The report of one server. The totals stay, so that its share can be shown. */
function ofServer(report: CostReport, server: string | undefined): CostReport {
  if (server === undefined) return report;
  const known = report.servers.map((one) => one.server);
  if (!known.includes(server)) {
    const near = didYouMean(server, known);
    throw new Failure(
      'server.not_found',
      `No tools from a server or plugin named ${server}.${near}`,
      'tidegate tools cost',
    );
  }
  const own = report.tools.filter((tool) => tool.server === server);
  const names = new Set([server, ...own.map(({ name }) => name)]);
  return {
    ...report,
    servers: report.servers.filter((one) => one.server === server),
    tools: own,
    advice: report.advice.filter(({ what }) => what.some((name) => names.has(name))),
  };
}
