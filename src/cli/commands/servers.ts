import { printable } from '../../config/index.js';
import type { ProviderReport } from '../running-gate.js';
import { type Command, configOption, type Context, type Given, textOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { didYouMean } from '../nearest-name.js';
import type { Colour } from '../output.js';
import { askRunningGate } from '../running-gate.js';
import { untilSettled } from '../until-settled.js';
import { trustHint, withGate } from '../with-gate.js';

export const servers: Command = {
  name: 'servers',
  summary: 'Show the servers behind the gate: state, process, tools, restarts.',
  arguments: [{ name: '[name]', about: 'Show only this server.' }],
  options: [configOption],
  examples: ['tidegate servers', 'tidegate servers --json'],
  async run(given, context) {
    const reports = chosen(await reportsOf(given, context), given.arguments[0]);
    show(reports, context);
    return exitCodes.ok;
  },
};

/** Those of a running `serve`; without one, or when a file is named, those that start here and now. */
async function reportsOf(given: Given, context: Context): Promise<readonly ProviderReport[]> {
  if (textOption(given, 'config') === undefined) {
    const running = await askRunningGate(context);
    if (running !== undefined) {
      context.output.note(
        `of the gate that runs at ${printable(running.url)} (process ${String(running.pid)})`,
      );
      return running.servers;
    }
  }
  return withGate(given, context, 'command', async (tidegate) => {
    await untilSettled(tidegate, context);
    const untrusted = trustHint(tidegate);
    if (untrusted !== undefined) context.output.note(`the file is not trusted. Read it, then: ${untrusted}`);
    return tidegate.gateway.status().filter(({ source }) => source.startsWith('server:'));
  });
}

function chosen(reports: readonly ProviderReport[], name: string | undefined): readonly ProviderReport[] {
  if (name === undefined) return reports;
  const found = reports.filter(({ id }) => id === name);
  if (found.length > 0) return found;
  const near = didYouMean(
    name,
    reports.map(({ id }) => id),
  );
  throw new Failure('server.not_found', `Unknown server: ${name}.${near}`, 'tidegate servers');
}

const colourOf: Readonly<Record<ProviderReport['state'], Colour>> = {
  ready: 'green',
  idle: 'green',
  pending: 'yellow',
  login: 'yellow',
  untrusted: 'yellow',
  disabled: 'dim',
  stopped: 'dim',
  failed: 'red',
};

function show(reports: readonly ProviderReport[], { output }: Context): void {
  output.json({ servers: reports });
  const head = ['SERVER', 'STATE', 'PID', 'TOOLS', 'RESTARTS', 'PROTOCOL'];
  const rows = reports.map((report) => [
    printable(report.id),
    // The state may be the word of a newer gate.
    output.paint(
      Object.hasOwn(colourOf, report.state) ? colourOf[report.state] : 'dim',
      printable(report.state),
    ),
    report.pid === undefined ? '-' : String(report.pid),
    String(report.tools),
    String(report.restarts),
    report.protocolVersion === undefined ? '-' : printable(report.protocolVersion),
  ]);
  if (rows.length > 0) output.table([head, ...rows]);
  else output.say('No servers are configured. Add some to tidegate.yaml, then: tidegate config check');
  // Below the table and not in it, so that a narrow terminal cuts no reason.
  for (const { id, detail } of reports)
    if (detail !== undefined && detail !== '') output.say(`${printable(id)}: ${printable(detail)}`);
}
