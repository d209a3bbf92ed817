import { printable } from '../../../config/index.js';
import type { ContextReport, ContextSession } from '../../../app/index.js';
import { asOption, type Command, configOption, type Context, type Given, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { largest } from '../../terminal/largest.js';
import { askRunning } from '../../running-gateway.js';
import { untilSettled } from '../../until-settled.js';
import { trustHint, withGateway } from '../../with-gateway.js';

export const exposure: Command = {
  name: 'context',
  summary: 'Show how many tools are listed and deferred, their cost in tokens, and which are active.',
  options: [
    configOption,
    asOption,
    {
      name: 'client',
      value: 'name',
      about: 'Show what this client would see: claude-code, opencode.',
    },
    { name: 'exact', about: 'Count tokens with the o200k tokenizer instead of estimating.' },
  ],
  examples: ['tidegate context', 'tidegate context --client opencode --exact', 'tidegate context --json'],
  async run(given, context) {
    const running = await runningReport(given, context);
    const report = running?.report ?? (await reportHere(given, context));
    context.output.json(report);
    show(report, context);
    for (const line of report.idle) context.output.note(`warning: ${printable(line)} matches no known tool`);
    const isAboutClient = textOption(given, 'client') !== undefined;
    if (!isAboutClient) showSessions(report, running?.url, context);
    return exitCodes.ok;
  },
};

/** Asks a running `serve`, which knows the sessions; undefined without one, or with `--config` or `--as`. */
async function runningReport(
  given: Given,
  context: Context,
): Promise<{ readonly report: ContextReport; readonly url: string } | undefined> {
  if (textOption(given, 'config') !== undefined || textOption(given, 'as') !== undefined) return undefined;
  const query = new URLSearchParams();
  const client = textOption(given, 'client');
  if (client !== undefined) query.set('client', client);
  if (given.options['exact'] === true) query.set('exact', 'true');
  const asked = await askRunning(context, `/api/context?${query.toString()}`);
  if (asked === undefined || !isReport(asked.answer)) return undefined;
  return { report: asked.answer, url: asked.running.url };
}

function isReport(value: unknown): value is ContextReport {
  return (
    typeof value === 'object' && value !== null && 'servers' in value && 'listed' in value && 'idle' in value
  );
}

function reportHere(given: Given, context: Context): Promise<ContextReport> {
  return withGateway(given, context, 'command', async (tidegate) => {
    await untilSettled(tidegate, context);
    const untrusted = trustHint(tidegate);
    if (untrusted !== undefined)
      context.output.note(`The file is not trusted. Review it, then run: ${untrusted}`);
    const { contextReport } = await import('../../../app/index.js');
    const client = textOption(given, 'client');
    return contextReport({
      gateway: tidegate.gateway,
      opened: tidegate.exposure,
      session: tidegate.localSession('connection'),
      isExact: given.options['exact'] === true,
      live: { stateDirectory: tidegate.stateDirectory, file: tidegate.config.file },
      ...(client !== undefined && { client }),
    });
  });
}

const barWidth = 20;

function show(report: ContextReport, { output }: Context): void {
  const { servers, listed, deferred } = report;
  const most = largest(
    servers.map(({ tokens }) => tokens),
    1,
  );
  const bar = (tokens: number): string => output.signs.fill.repeat(Math.ceil((tokens / most) * barWidth));
  output.table([
    ['FROM', 'TOOLS', 'TOKENS', '', 'DEFERRED'],
    ...servers.map(({ server, tools, tokens, deferred: out }) => [
      printable(server),
      String(tools),
      amount(tokens),
      output.paint('dim', bar(tokens)),
      out === 0 ? '-' : String(out),
    ]),
  ]);
  const how = report.counted === 'estimate' ? 'about ' : '';
  const who = report.client === undefined ? 'An unknown client' : printable(report.client);
  output.line();
  if (report.mode === 'eager') {
    output.line(`${who} sees all ${String(listed.tools)} tools: ${how}${amount(listed.tokens)} tokens.`);
    if (report.defersItself) output.line('It defers them itself until it needs them.');
    return;
  }
  const all = listed.tokens + deferred.tokens;
  const saved = all === 0 ? 0 : Math.floor((deferred.tokens / all) * 1000) / 10;
  output.line(
    `${who} sees ${String(listed.tools)} tools: ${how}${amount(listed.tokens)} tokens (${report.mode}).`,
  );
  output.line(
    `${String(deferred.tools)} more can be found with tool_search: ${how}${amount(deferred.tokens)} tokens saved (${String(saved)} %).`,
  );
  if (report.mode === 'list')
    output.line(
      `Found tools are added to the list: up to ${String(report.maxActive)} tools and ${amount(report.maxActiveTokens)} tokens at once.`,
    );
}

function showSessions(report: ContextReport, url: string | undefined, context: Context): void {
  const { output } = context;
  const lazy = report.sessions.filter(({ mode }) => mode !== 'eager');
  if (url !== undefined) {
    output.line();
    output.line(`Sessions of the gateway at ${printable(url)}:`);
    const own = lazy.filter(({ pid }) => pid === undefined);
    if (own.length === 0) output.line('  none with deferred tools');
    sessionLines(own, report, context);
  }
  for (const process of new Set(lazy.flatMap(({ pid }) => pid ?? []))) {
    output.line();
    output.line(`Sessions of tidegate mcp (pid ${String(process)}):`);
    sessionLines(
      lazy.filter(({ pid }) => pid === process),
      report,
      context,
    );
  }
}

function sessionLines(
  sessions: readonly ContextSession[],
  { maxActive, maxActiveTokens }: ContextReport,
  { output }: Context,
): void {
  for (const session of sessions) {
    const { principal, client = '-', mode, active, tokens } = session;
    output.line(
      `  ${output.paint('bold', printable(principal))}  ${printable(client)}  ${mode}  active ${String(active.length)}/${String(maxActive)}, ${amount(tokens)}/${amount(maxActiveTokens)} tokens`,
    );
    for (const line of activeLines(session)) output.line(`    ${line}`);
  }
}

function activeLines({ active }: ContextSession): readonly string[] {
  return active.map(({ name, tokens, idleCalls }) => {
    const when =
      idleCalls === 0 ? 'just used' : `used ${String(idleCalls)} ${idleCalls === 1 ? 'call' : 'calls'} ago`;
    return `${printable(name)}  ${amount(tokens)} tokens, ${when}`;
  });
}

function amount(tokens: number): string {
  return tokens.toLocaleString('en-US');
}
