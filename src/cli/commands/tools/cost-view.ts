import type { CostReport } from '../../../features/context/index.js';
import { printable } from '../../../config/index.js';
import { type BarRow, barLines, type Column } from '../../terminal/bars.js';
import type { Output } from '../../terminal/output.js';
import { longestLine, wrapped } from '../../terminal/wrap.js';

export interface CostOptions {
  /** The number of tools to show. */
  readonly top: number;
  readonly client: string | undefined;
}

/** Wider bars are not easier to read. */
const widest = 120;

export function showCosts(report: CostReport, options: CostOptions, output: Output): void {
  const { tools, servers } = report;
  if (tools.length === 0) return output.line('No tools to count. To check your servers: tidegate servers');
  const hasCalls = report.uses !== undefined && report.uses.records > 0;
  chart(serverColumns(hasCalls), serverRows(report, hasCalls), output);
  const shown = tools.slice(0, options.top);
  if (shown.length > 0) {
    output.line();
    chart(toolColumns(hasCalls), toolRows(shown, hasCalls), output);
    if (shown.length < tools.length)
      output.line(
        dim(`and ${amount(tools.length - shown.length)} more: --top ${String(tools.length)}`, output),
      );
  }
  output.line();
  for (const line of sumLines(report, options)) say(line, output);
  if (servers.length > 0) showAdvice(report, output);
  output.line();
  say(usesLine(report), output, 'dim');
  say(countedLine(report), output, 'dim');
}

function chart(columns: readonly Column[], rows: readonly BarRow[], output: Output): void {
  const paint = (text: string): string => output.paint('dim', text);
  const { width, signs } = output;
  const rest = signs.done.length === 1 ? '…' : '..';
  for (const line of barLines({
    columns,
    rows,
    width: Math.min(width, widest),
    fill: signs.fill,
    rest,
    paint,
  }))
    output.line(line);
}

function serverColumns(hasCalls: boolean): readonly Column[] {
  return [{ head: 'FROM' }, ...numbers('TOOLS', 'EAGER', 'LAZY', ...(hasCalls ? ['CALLS'] : []), 'SHARE')];
}

function toolColumns(hasCalls: boolean): readonly Column[] {
  return [{ head: 'TOOL' }, ...numbers('EAGER', 'LAZY', ...(hasCalls ? ['CALLS'] : []))];
}

function numbers(...heads: readonly string[]): readonly Column[] {
  return heads.map((head) => ({ head, isNumber: true }));
}

function serverRows({ servers, eager }: CostReport, hasCalls: boolean): readonly BarRow[] {
  return servers.map(({ server, tools, eager: own, lazy, calls = 0 }) => ({
    cells: [
      printable(server),
      amount(tools),
      own === 0 ? '-' : amount(own),
      lazy === 0 ? '-' : amount(lazy),
      ...(hasCalls ? [amount(calls)] : []),
      `${String(eager.tokens === 0 ? 0 : Math.round((own / eager.tokens) * 100))} %`,
    ],
    value: own,
  }));
}

function toolRows(tools: CostReport['tools'], hasCalls: boolean): readonly BarRow[] {
  return tools.map(({ name, tokens, isEager, isAlwaysListed, calls = 0 }) => ({
    cells: [
      printable(name),
      isEager ? amount(tokens) : '-',
      isAlwaysListed ? amount(tokens) : '-',
      ...(hasCalls ? [amount(calls)] : []),
    ],
    value: tokens,
  }));
}

/** The cost with all tools listed, with deferred tools, and with the current settings. */
function sumLines(report: CostReport, { client }: CostOptions): readonly string[] {
  const { eager, lazy, now, mode, counted, setting, deferAboveTokens, defersItself } = report;
  const about = counted === 'estimate' ? 'about ' : '';
  const saved = eager.tokens === 0 ? 0 : Math.round((1 - lazy.tokens / eager.tokens) * 100);
  const less = saved > 0 ? `${String(saved)} % less` : 'no savings';
  const words = lazy.instructions === 0 ? '' : ' and a note about the rest';
  const who = client === undefined ? 'an unknown client' : printable(client);
  const why = defersItself
    ? 'the client defers tools itself'
    : mode === 'eager'
      ? setting === 'auto'
        ? `context.lazy: auto defers tools only above ${amount(deferAboveTokens)} tokens and ten tools`
        : `context.lazy: ${setting}`
      : `context.lazy: ${setting}`;
  return [
    `Eager: all ${amount(eager.tools)} tools, ${about}${amount(eager.tokens)} tokens in every request.`,
    `Lazy: ${amount(lazy.tools)} tools${words}, ${about}${amount(lazy.tokens)} tokens (${less}). Tools found by search are added.`,
    `Now, for ${who}: ${amount(now.tools)} tools, ${about}${amount(now.tokens)} tokens (${mode}; ${why}).`,
  ];
}

function showAdvice({ advice, uses }: CostReport, output: Output): void {
  if (advice.length === 0 && uses?.isTelling !== true) return;
  output.line();
  if (advice.length === 0) return output.line('The call records show nothing to pin, defer or drop.');
  output.line(output.paint('bold', 'Suggested changes in tidegate.yaml (a dot means a nested key)'));
  for (const { kind, what, why, setting, saves } of advice) {
    const tokens =
      saves < 0 ? `costs ${amount(-saves)}` : saves === 0 ? 'saves nothing now' : `saves ${amount(saves)}`;
    output.line(`  ${output.paint('bold', kind.padEnd(5))}  ${printable(setting)}`);
    const names = what.length > 3 ? `${String(what.length)} tools` : what.map(printable).join(', ');
    for (const line of wrapped(
      `${names}: ${why} (${tokens}${saves === 0 ? '' : ' tokens'})`,
      room(output) - 9,
    ))
      output.line(`         ${dim(line, output)}`);
  }
}

function usesLine({ uses }: CostReport): string {
  if (uses === undefined || uses.records === 0)
    return 'No calls have been recorded yet, so there are no suggestions. Use Tidegate for a while, then try again.';
  const since = uses.since === undefined ? '' : ` since ${uses.since.slice(0, 10)}`;
  const few = uses.isTelling ? '' : ' That is too few to tell which tools are never used.';
  return `Use: ${amount(uses.records)} recorded ${uses.records === 1 ? 'call' : 'calls'}${since}.${few}`;
}

function countedLine({ counted }: CostReport): string {
  return counted === 'estimate'
    ? 'Tokens are estimated from text length. For 2,712 real tools, the total is 0.4% off, and nine out of ten individual estimates are between 10% too low and 20% too high. --exact counts with o200k.'
    : 'Tokens are counted with o200k (name, description and input schema, as JSON). Other models differ: Claude counts about 6% more.';
}

function say(text: string, output: Output, colour?: 'dim'): void {
  for (const line of wrapped(text, room(output)))
    output.line(colour === undefined ? line : dim(line, output));
}

function room({ width }: Output): number {
  return Math.min(width, longestLine);
}

function dim(text: string, output: Output): string {
  return output.paint('dim', text);
}

function amount(count: number): string {
  return count.toLocaleString('en-US');
}
