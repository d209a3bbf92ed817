import type { TextFound, TextQuery } from '../../ports/search.js';
import { type Selection, textArguments } from './arguments.js';
import { splitAtCommas } from './braces.js';
import { type Collector, createCollector } from './collect.js';
import { runText, type TextJob, type TextRun } from './run-text.js';
import { type Glob, parseGlob } from './glob.js';
import { isLargeBinary } from './large-binary.js';
import { isOwn, ownGlobs } from './own-files.js';
import type { Place } from './place.js';
import { prove } from './prove.js';
import { mistake, refuse, skippedOf, unknownType } from './refusals.js';
import type { RipgrepEnd } from './ripgrep.js';
import type { SearchContext } from './context.js';
import { openStart, withoutHere } from './start.js';
import { tellFiles } from './tell.js';
import { unknownTypeFailure } from './type-names.js';
import { cutWindow } from './window.js';

/** Some hundred thousand lines; counting more is not useful. */
const maxCountedBytes = 8 * 1024 * 1024;
/** Extra time to check a few files after the search used up its own. */
const extraMs = 2000;

export async function findText(
  context: SearchContext,
  query: TextQuery,
  signal: AbortSignal,
): Promise<TextFound> {
  refuseNul(query);
  const { glob, selection } = selectionOf(query);
  const place = await openStart(context.roots, query.path, glob);
  if (place === undefined) return nothing(query);
  try {
    if (place.kind === 'file' && isLargeBinary(place.here)) return binaryOnly(context, query, place);
    const deadline = performance.now() + context.limits.timeMs;
    return await search({ context, query, place, signal, began: context.now(), deadline, glob, selection });
  } finally {
    place.close();
  }
}

/** Program arguments cannot contain NUL. */
function refuseNul({ pattern, glob = '', type = '' }: TextQuery): void {
  if (pattern.includes('\0'))
    throw mistake('invalid_pattern', 'The pattern contains a NUL character; write it as \\x00.');
  if (glob.includes('\0') || type.includes('\0'))
    throw mistake('invalid_glob', 'The glob or type contains a NUL character, which names cannot contain.');
}

interface Job extends TextJob {
  readonly glob: Glob | undefined;
  readonly selection: Selection;
}

function selectionOf(query: TextQuery): { readonly glob: Glob | undefined; readonly selection: Selection } {
  const globs = splitAtCommas(query.glob ?? '');
  const wanted = globs.filter((glob) => !glob.startsWith('!'));
  const glob = wanted.length === 0 ? undefined : parseGlob(wanted);
  const excluded = globs
    .filter((one) => one.startsWith('!'))
    .map((one) => one.slice(1))
    .filter((one) => one !== '');
  // ripgrep adds file types up, so our names cannot narrow the caller's type.
  const names = query.type === undefined ? glob?.names : undefined;
  return { glob, selection: { includeIgnored: query.includeIgnored, depth: glob?.depth, names, excluded } };
}

async function search(job: Job): Promise<TextFound> {
  const { context, query, place, signal } = job;
  const { collector, end } = await run(job);
  const type = unknownType(end);
  if (type !== undefined) throw await unknownTypeFailure(context, type, signal);
  refuse(end);

  const shown = cutWindow(collector.groups, query.offset, query.limit);
  const groups = shown.map(({ group }) => group);
  const late = { ...job, deadline: Math.max(job.deadline, performance.now() + extraMs) };
  const where = { roots: context.roots, place };
  const others = groups.filter(({ path }) => !isOwn(where, path));
  const proven = place.kind === 'file' ? { groups, tooLong: [] } : await prove(late, others);
  return {
    ...tellFiles({ job, collector, shown, proven: proven.groups }),
    ...ending(end, job, collector),
    ...skippedOf(where, end.complaints, proven.tooLong),
  };
}

function ending(
  { stopped }: RipgrepEnd,
  { query }: Job,
  { totals }: Collector,
): Pick<TextFound, 'isTruncated' | 'stopped'> {
  return {
    isTruncated: stopped !== undefined || totals.items > query.offset + query.limit,
    ...(stopped !== undefined && { stopped }),
  };
}

function run(job: Job): Promise<TextRun> {
  const { context, query, place, glob, selection } = job;
  const isFile = place.kind === 'file';
  const admit = (printed: Buffer) => {
    if (isFile) return Buffer.alloc(0);
    const path = withoutHere(printed);
    return glob === undefined || glob.matches(path.toString()) ? path : undefined;
  };
  const hidden = ownGlobs({ roots: context.roots, place });
  const chosen = isFile ? { includeIgnored: true } : { ...selection, hidden };
  return runText(job, {
    args: [
      ...textArguments(query, chosen, isFile ? undefined : query.type),
      '--',
      isFile ? place.forChild : './',
    ],
    collect: () => createCollector({ mode: query.mode, wanted: query.offset + query.limit, admit }),
    patience: () => createPatience(context.limits.countingMs),
  });
}

/** Once there are enough results, spend only a little more on order and totals. */
function createPatience(countingMs: number): (isFull: boolean, bytes: number) => boolean {
  let fullSince: number | undefined;
  let counted = 0;
  return (isFull, bytes) => {
    if (!isFull) return true;
    fullSince ??= performance.now();
    counted += bytes;
    return performance.now() - fullSince < countingMs && counted < maxCountedBytes;
  };
}

function binaryOnly({ roots }: SearchContext, query: TextQuery, place: Place): TextFound {
  const skipped = [{ path: roots.nameOf(place.real), reason: 'a large binary file' }];
  return { ...nothing(query), skipped, totalSkipped: 1 };
}

function nothing({ mode }: TextQuery): TextFound {
  const totals = { totalFiles: 0, ...(mode !== 'files' && { totalMatches: 0 }) };
  return { files: [], ...totals, isTruncated: false, skipped: [], totalSkipped: 0 };
}
