import { homedir } from 'node:os';
import { basename } from 'node:path';
import type { Fate, ImportPlan } from '../../../features/import/index.js';
import { printable, shellWord, withoutLongWords } from '../../../config/index.js';
import type { Context } from '../../command.js';
import { lineDiff } from '../../terminal/line-diff.js';

const fates: Readonly<Record<Fate, string>> = {
  import: 'add',
  same: 'same',
  present: 'exists',
  gate: 'skip',
  disabled: 'off',
  unsupported: 'skip',
};

/** Lists the servers that were found. */
export function showServers({ servers }: ImportPlan, { output }: Context): void {
  if (servers.length === 0) return;
  const rows = servers.map(({ source, found, fate, as, why, notes }) => [
    source.client.title,
    printable(found.name),
    fate === 'import' ? output.paint('green', fates[fate]) : output.paint('dim', fates[fate]),
    printable(
      [...(fate === 'import' && as === found.name ? [] : [why ?? ''].filter(Boolean)), ...notes].join('; '),
    ),
  ]);
  output.table([['CLIENT', 'SERVER', '', ''], ...rows], 'wrapped');
  output.line();
}

/** Shows the change to tidegate.yaml. Shows the whole file if it is not trusted, because only what was shown is trusted. */
export function showTarget({ target, text }: ImportPlan, isTrusted: boolean, { output }: Context): void {
  const before = target.content?.text ?? '';
  if (text === before) return;
  const isNew = target.content === undefined;
  output.line(output.paint('bold', `${printable(shortPath(target.file))}${isNew ? ' (new)' : ''}`));
  showDiff(lineDiff(before, text, linesAround(isTrusted)), output);
  if (!isTrusted && !isNew) output.note('The whole file is shown because it is not trusted yet.');
}

function linesAround(isTrusted: boolean): number {
  return isTrusted ? 2 : Number.POSITIVE_INFINITY;
}

export function showPoints({ points }: ImportPlan, { output }: Context): void {
  for (const { source, diff, after, why, byHand, lost } of points) {
    const words = `${source.client.title}: ${shortPath(source.file.path)}${source.content === undefined ? ' (new)' : ''}`;
    output.line(output.paint('bold', printable(words)));
    if (after !== undefined) showDiff(diff, output);
    else {
      output.line(withoutLongWords(printable(`  not changed: ${why ?? ''}`)));
      for (const line of byHand) output.line(printable(`  ${line}`));
      output.line();
    }
    for (const line of lost) output.note(printable(line));
  }
  for (const line of new Set(points.flatMap(colleagueLines))) output.note(line);
}

/** Project files are shared, so say what other people need on their machines. */
function colleagueLines({ source, form }: ImportPlan['points'][number]): readonly string[] {
  if (form === undefined || source.file.scope !== 'project') return [];
  const name = basename(source.file.path);
  const needs = {
    name: `${name} starts \`tidegate\`, so everyone on the project needs it on PATH.`,
    npx: `${name} starts tidegate with npx, which runs whatever package has that name in each user's registry. If Tidegate is installed, use --gate name.`,
    absolute: `${name} starts Tidegate with absolute paths from this machine, because tidegate is not on PATH. To share the file, install Tidegate and use --gate name.`,
  } as const;
  return [
    printable(needs[form]),
    'Everyone on the project must review tidegate.yaml, then run: tidegate trust',
  ];
}

function showDiff(lines: readonly string[], output: Context['output']): void {
  for (const line of lines) {
    const text = `  ${printable(line)}`;
    const isChange = line.startsWith('+') || line.startsWith('-');
    output.line(isChange ? output.paint(line.startsWith('+') ? 'green' : 'red', text) : text);
  }
  output.line();
}

/** Lists plain-text secrets by name. */
export function showSecrets({ secrets }: ImportPlan, { output }: Context): void {
  const clear = secrets.filter(({ isThere }) => !isThere);
  if (clear.length === 0) return;
  output.line(output.paint('bold', 'Plain-text secrets, replaced with ${…}'));
  output.table(clear.map(({ name, where }) => [`  \${${name}}`, printable(where)]));
  output.line();
}

/** Variables whose values are in client files, and the command that stores them. */
export interface Keeping {
  readonly names: readonly string[];
  readonly command: string;
}

/** Lists variables that must be set before Tidegate can start, with a blank line above or below. */
export function showUnset(
  names: readonly string[],
  { output }: Context,
  { keeping, isApartFrom = 'below' }: { keeping?: Keeping; isApartFrom?: 'above' | 'below' } = {},
): void {
  if (names.length === 0) return;
  if (isApartFrom === 'above') output.line();
  output.line('Set these variables before you start Tidegate:');
  for (const line of unsetLines(names)) output.line(line);
  if (keeping !== undefined && keeping.names.length > 0) {
    output.say(`${keeping.names.join(', ')}: the value is in a client file. To store it for Tidegate:`);
    output.line(`  ${keeping.command}`);
  }
  if (isApartFrom === 'below') output.line();
}

export function unsetLines(names: readonly string[]): readonly string[] {
  return names.map((name) => `  tidegate secrets set ${shellWord(name)}    or: export ${shellWord(name)}=…`);
}

/** Abbreviates the home directory to ~. */
export function shortPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The plan as JSON, without secret values. */
export function plainPlan(plan: ImportPlan, isTrusted: boolean): Readonly<Record<string, unknown>> {
  const { target, servers, secrets, points, problems, text, unset } = plan;
  return {
    file: target.file,
    isNew: target.content === undefined,
    changes: text !== (target.content?.text ?? ''),
    isTrusted,
    diff: lineDiff(target.content?.text ?? '', text, linesAround(isTrusted)),
    servers: servers.map(({ source, found, fate, as, why, notes }) => ({
      client: source.client.name,
      file: source.file.path,
      scope: source.file.scope,
      name: found.name,
      fate,
      ...(as !== undefined && { as }),
      ...(why !== undefined && { why }),
      notes,
    })),
    secrets: secrets.map(({ name, where, isThere }) => ({ name, where, isSet: isThere })),
    unset,
    points: points.map(({ source, after, why, form, diff, byHand, lost }) => ({
      client: source.client.name,
      file: source.file.path,
      isNew: source.content === undefined,
      ...(form !== undefined && { gate: form }),
      diff,
      lost,
      ...(after === undefined && { why, byHand }),
    })),
    problems: problems.map(({ code, message, next }) => ({ code, message, next })),
  };
}
