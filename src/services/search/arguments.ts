import type { FileOrder, TextMode, TextQuery } from '../../ports/search.js';

/** Which files ripgrep searches. */
export interface Selection {
  readonly includeIgnored: boolean;
  readonly depth?: number | undefined;
  /** Names in ripgrep's syntax; a file must match one. */
  readonly names?: readonly string[] | undefined;
  readonly excluded?: readonly string[];
  /** Paths that must stay hidden, whatever else is requested; in any letter case. */
  readonly hidden?: readonly string[];
}

/** How many characters of a line to show; ripgrep cuts longer lines. */
export const maxColumns = 500;

/** Values are always joined to their option, so that none is read as another option. */
const always = ['--no-config', '--no-ignore-messages', '--color=never', '--null'];
const nameType = 'tidegate';

export function listArguments(order: FileOrder, selection: Selection): readonly string[] {
  const sorting = order === 'newest' ? ['--sortr=modified'] : [];
  return [...always, '--files', ...sorting, ...selecting(selection), '--', './'];
}

export function textArguments(query: TextQuery, selection: Selection, type?: string): readonly string[] {
  const typed = type === undefined ? [] : [`--type=${type}`];
  return [...always, ...matching(query), ...showing(query), ...selecting(selection), ...typed];
}

export const typeListArguments: readonly string[] = ['--no-config', '--type-list'];

function matching(query: TextQuery): readonly string[] {
  return [
    `--regexp=${query.pattern}`,
    query.ignoresCase ? '--ignore-case' : '--case-sensitive',
    ...(query.isLiteral ? ['--fixed-strings'] : []),
    ...(query.isMultiline ? ['--multiline', '--multiline-dotall'] : []),
  ];
}

const shown: Readonly<Record<TextMode, readonly string[]>> = {
  lines: [`--max-columns=${maxColumns}`, '--max-columns-preview', '--line-number', '--no-context-separator'],
  files: ['--files-with-matches'],
  counts: ['--count'],
};

function showing({ mode, before, after }: TextQuery): readonly string[] {
  const around = mode === 'lines' ? [`--before-context=${before}`, `--after-context=${after}`] : [];
  return ['--no-heading', '--with-filename', ...shown[mode], ...around];
}

/** Names become a file type of ours instead of --glob, which would include ignored files. */
function selecting(selection: Selection): readonly string[] {
  const { includeIgnored, depth, names, excluded = [], hidden = [] } = selection;
  return [
    '--hidden',
    '--glob=!.git',
    ...excluded.map((glob) => `--glob=!${glob.replace(/ +$/, (spaces) => '\\ '.repeat(spaces.length))}`),
    ...hidden.map((glob) => `--iglob=!${glob}`),
    ...(includeIgnored ? ['--no-ignore'] : []),
    ...(depth === undefined ? [] : [`--max-depth=${depth}`]),
    ...(names ?? []).map((name) => `--type-add=${nameType}:${name}`),
    ...(names === undefined ? [] : [`--type=${nameType}`]),
  ];
}
