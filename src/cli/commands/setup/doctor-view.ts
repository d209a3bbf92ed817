import type * as Doctor from '../../../features/doctor/index.js';
import type { CheckState, Examination, Examined, Finding } from '../../../features/doctor/index.js';
import { printable } from '../../../config/index.js';
import { largest } from '../../terminal/largest.js';
import type { Colour, Output } from '../../terminal/output.js';
import { cutTo } from '../../terminal/text-width.js';
import { longestLine, readable, wrapped } from '../../terminal/wrap.js';

type Rules = Pick<typeof Doctor, 'worstOf' | 'checkGroups'>;

const words: Readonly<Record<CheckState, string>> = {
  ok: 'ok',
  note: 'note',
  warn: 'warn',
  fail: 'FAIL',
  skipped: 'skip',
};
const colours: Readonly<Record<CheckState, Colour>> = {
  ok: 'green',
  note: 'bold',
  warn: 'yellow',
  fail: 'red',
  skipped: 'dim',
};

const narrowest = 20;

/** Prints all checks by group, then the problems with reason and next command, then a summary. */
export function showExamination(examination: Examination, output: Output, rules: Rules): void {
  if (output.isJson) return;
  const { examined, fixed } = examination;
  for (const { did, isDone } of fixed)
    output.line(
      `${mark(isDone ? 'ok' : 'fail', output)} ${isDone ? 'fixed' : 'not fixed'}: ${printable(did)}`,
    );
  if (fixed.length > 0) output.line();
  const titleWidth = largest(examined.map(({ check }) => plain(check.title).length));
  for (const [group, title] of Object.entries(rules.checkGroups)) {
    const own = examined.filter(({ check }) => check.group === group);
    if (own.length === 0) continue;
    output.line(output.paint('bold', title));
    for (const one of own) showCheck(one, titleWidth, output);
  }
  showWork(examined, output);
  output.line();
  for (const line of wrapped(sumLine(examination, output), room(output))) output.line(line);
}

function showCheck({ check, findings }: Examined, titleWidth: number, output: Output): void {
  for (const [at, finding] of findings.entries()) {
    const { state, about, detail } = finding;
    const title = (at === 0 ? plain(check.title) : '').padEnd(titleWidth);
    const text = plain(about === undefined ? detail : `${about}: ${detail}`);
    // Twice 2 spaces, a mark of 4 and a space; plus a sign and a space if the terminal has signs.
    const lead = titleWidth + (hasSigns(output) ? 11 : 9);
    const width = Math.max(output.columns - lead, narrowest);
    const [first = '', ...rest] = isRepeatedBelow(finding)
      ? [cut(text, width, output)]
      : wrapped(text, width);
    output.line(`  ${mark(state, output)} ${title}  ${first}`);
    for (const line of rest) output.line(' '.repeat(lead) + line);
  }
}

/** Findings repeated in full under `Needs work` or `Worth knowing` can be cut in the list. */
function isRepeatedBelow({ state, next }: Finding): boolean {
  return state === 'fail' || state === 'warn' || (state === 'note' && next !== undefined);
}

interface Work {
  readonly examined: Examined;
  readonly finding: Finding;
}

function showWork(examined: readonly Examined[], output: Output): void {
  const all = examined.flatMap((one) => one.findings.map((finding): Work => ({ examined: one, finding })));
  const work = all.filter(({ finding: { state } }) => state === 'fail' || state === 'warn');
  if (work.length > 0) {
    output.line();
    output.line(output.paint('bold', 'Needs work'));
    const ordered = [...work].sort((a, b) => rank(a.finding.state) - rank(b.finding.state));
    const explained = new Set<string>();
    for (const one of ordered) {
      showOne(one, !explained.has(one.examined.check.id), output);
      explained.add(one.examined.check.id);
    }
  }
  const worth = all.filter(({ finding: { state, next } }) => state === 'note' && next !== undefined);
  if (worth.length === 0) return;
  output.line();
  output.line(output.paint('bold', 'Worth knowing'));
  for (const {
    examined: { check },
    finding,
  } of worth) {
    const about = finding.about === undefined ? '' : `, ${finding.about}`;
    indented(`${plain(check.title)}${about}: ${finding.detail}`, 2, output);
    nextLine(finding.next, 4, output);
  }
}

function rank(state: CheckState): number {
  return state === 'fail' ? 0 : 1;
}

/** Prints why it matters only once per check. */
function showOne({ examined: { check }, finding }: Work, isFirst: boolean, output: Output): void {
  const { state, about, detail, more = [], next } = finding;
  const title = about === undefined ? plain(check.title) : `${plain(check.title)}: ${plain(about)}`;
  output.line(`  ${mark(state, output)} ${output.paint('bold', title)}`);
  indented(detail, 4, output);
  for (const line of more) indented(`| ${line}`, 4, output);
  if (isFirst) indented(`why: ${check.why}`, 4, output, 'dim');
  nextLine(next ?? check.remedy, 4, output);
}

function nextLine(next: string | undefined, blanks: number, output: Output): void {
  if (next === undefined) return;
  const [first = '', ...rest] = wrapped(`next: ${plain(next)}`, readable(output.columns) - blanks, '  ');
  const head = first.replace('next:', output.paint('green', 'next:'));
  for (const line of [head, ...rest]) output.line(`${' '.repeat(blanks)}${line}`);
}

function indented(text: string, blanks: number, output: Output, colour?: Colour): void {
  for (const line of wrapped(plain(text), room(output) - blanks))
    output.line(`${' '.repeat(blanks)}${colour === undefined ? line : output.paint(colour, line)}`);
}

function sumLine({ examined, fixed }: Examination, output: Output): string {
  const findings = examined.flatMap((one) => one.findings);
  const count = (wanted: CheckState): number => findings.filter(({ state }) => state === wanted).length;
  const parts = (['ok', 'note', 'warn', 'fail', 'skipped'] as const)
    .filter((state) => count(state) > 0)
    .map((state) => `${String(count(state))} ${words[state]}`);
  const fixable = findings.filter(({ fix }) => fix !== undefined).length;
  const hint =
    fixable > 0 && fixed.length === 0
      ? ` Run ${output.paint('green', 'tidegate doctor --fix')} to fix ${String(fixable)} of them.`
      : '';
  return `${parts.join(', ')}.${hint}`;
}

/** The state as a word, with a symbol in front if the terminal can show it. */
function mark(state: CheckState, output: Output): string {
  const { done, failed, going } = output.signs;
  const signs = { ok: done, note: going, warn: '!', fail: failed, skipped: '-' } as const;
  const word = words[state].padEnd(4);
  return output.paint(colours[state], hasSigns(output) ? `${signs[state]} ${word}` : word);
}

function hasSigns({ signs }: Output): boolean {
  return signs.done.length === 1;
}

function cut(text: string, width: number, output: Output): string {
  return cutTo(text, width, hasSigns(output) ? '…' : '...');
}

/** Texts come from files and servers, so escape them; backticks are noise on a terminal. */
function plain(text: string): string {
  return printable(text).replaceAll('`', '');
}

function room({ width }: Output): number {
  return Math.min(width, longestLine);
}

/** The whole examination as JSON. */
export function jsonOf({ examined, fixed }: Examination, { worstOf }: Rules): unknown {
  const checks = examined.map(({ check, findings, ms }) => ({
    id: check.id,
    group: check.group,
    title: plain(check.title),
    state: worstOf(findings),
    why: check.why,
    ms: Math.round(ms),
    findings: findings.map(({ fix, ...finding }) => ({ ...finding, fixable: fix !== undefined })),
  }));
  return { ok: checks.every(({ state }) => state !== 'fail'), checks, fixed };
}
