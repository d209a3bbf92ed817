import { type Config, printable } from '../../../config/index.js';
import { askRunningGateway, type ProviderReport } from '../../running-gateway.js';
import { type Command, configOption, type Context, type Given, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import type { Colour } from '../../terminal/output.js';
import { untilSettled } from '../../until-settled.js';
import { trustHint, withGateway } from '../../with-gateway.js';

export const servers: Command = {
  name: 'servers',
  summary: 'Show your MCP servers: state, process, tools and restarts.',
  arguments: [{ name: '[name]', about: 'Show only this server.' }],
  options: [configOption],
  examples: ['tidegate servers', 'tidegate servers --json'],
  async run(given, context) {
    const reports = chosen(await reportsOf(given, context), given.arguments[0]);
    show(reports, context);
    return exitCodes.ok;
  },
};

/** Asks a running `serve`; without one, or with `--config`, starts the servers here. */
async function reportsOf(given: Given, context: Context): Promise<readonly ProviderReport[]> {
  if (textOption(given, 'config') === undefined) {
    const running = await askRunningGateway(context);
    if (running !== undefined) {
      context.output.note(
        `From the running gateway at ${printable(running.url)} (pid ${String(running.pid)})`,
      );
      return running.servers;
    }
  }
  return withGateway(given, context, 'command', async (tidegate) => {
    await untilSettled(tidegate, context);
    const untrusted = trustHint(tidegate);
    if (untrusted !== undefined)
      context.output.note(`The file is not trusted. Review it, then run: ${untrusted}`);
    const reports = tidegate.gateway.registry.status().filter(({ source }) => source.startsWith('server:'));
    return tidegate.trust.isTrusted ? withRefusals(reports, tidegate.config, context) : reports;
  });
}

/** An idle server does not check its files, but its next start would be refused. */
async function withRefusals(
  reports: readonly ProviderReport[],
  config: Config,
  { env }: Context,
): Promise<readonly ProviderReport[]> {
  const [{ openState }, { serverRefusal }] = await Promise.all([
    import('../../../app/index.js'),
    import('../../../config/started/index.js'),
  ]);
  const { trust } = openState(env);
  return reports.map((report) => {
    const server = config.servers.find(({ name, isEnabled }) => isEnabled && name === report.id);
    const detail = server && serverRefusal(server, { config, env, trust });
    return detail === undefined ? report : { ...report, state: 'untrusted', detail };
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
    // A newer gateway may report an unknown state.
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
  else output.say('No servers are configured. Add some to tidegate.yaml, then run: tidegate config check');
  // Below the table, so that a narrow terminal does not cut the reasons.
  for (const { id, detail } of reports)
    if (detail !== undefined && detail !== '') output.say(`${printable(id)}: ${printable(detail)}`);
}
