import type { FileOrder, FileQuery, FilesFound } from '../../ports/search.js';
import { listArguments } from './arguments.js';
import { findCalm } from './calm.js';
import type { SearchContext } from './context.js';
import { wrongKind } from './failures.js';
import { createFirstGroups } from './first-groups.js';
import { type Glob, parseGlob } from './glob.js';
import { folderOf, lookInside, type Looked } from './inside.js';
import type { Place } from './place.js';
import { isOwn, ownGlobs } from './own-files.js';
import { createPathReader } from './records.js';
import { refuse, skippedOf } from './refusals.js';
import type { RipgrepEnd } from './ripgrep.js';
import { isHere, namesBelow, openStart } from './start.js';

/** ripgrep prints sorted results only at the end, so keep some time for an unsorted run. */
const sortingShare = 0.7;

export async function findFiles(
  context: SearchContext,
  query: FileQuery,
  signal: AbortSignal,
): Promise<FilesFound> {
  const glob = parseGlob([query.pattern]);
  const place = await openStart(context.roots, query.path, glob);
  if (place === undefined)
    return { files: [], totalFiles: 0, isTruncated: false, skipped: [], totalSkipped: 0 };
  try {
    if (place.kind !== 'folder') throw wrongKind(query.path ?? glob.folder, 'a folder');
    return await findBelow({ context, query, glob, place, signal, began: context.now() });
  } finally {
    place.close();
  }
}

interface Job {
  readonly context: SearchContext;
  readonly query: FileQuery;
  readonly glob: Glob;
  readonly place: Place;
  readonly signal: AbortSignal;
  readonly began: number;
}

async function findBelow(job: Job): Promise<FilesFound> {
  const { context, place } = job;
  const listed = await listInTime(job);
  const { stopped } = listed;
  const { inside: paths, tooLong } = stillInside(job, listed.paths);
  const nameOf = namesBelow(context.roots, place);
  const totalFiles = listed.total - (listed.paths.length - paths.length);
  return {
    files: paths.map((path) => nameOf(path.toString())),
    totalFiles,
    isTruncated: stopped !== undefined || totalFiles > paths.length,
    ...(stopped !== undefined && { stopped }),
    ...skippedOf({ roots: context.roots, place }, listed.complaints, tooLong),
  };
}

interface Listed extends RipgrepEnd {
  readonly paths: readonly Buffer[];
  readonly total: number;
}

async function listInTime(job: Job): Promise<Listed> {
  const { query, context } = job;
  const started = performance.now();
  const end = started + context.limits.timeMs;
  if (query.order === 'name') return list(job, 'name', end);
  const newest = await list(job, 'newest', started + context.limits.timeMs * sortingShare);
  if (newest.stopped === undefined) return newest;
  return { ...(await list(job, 'name', end)), stopped: newest.stopped };
}

async function list(job: Job, order: FileOrder, deadline: number): Promise<Listed> {
  const { context, query, glob, place, signal } = job;
  const kept = order === 'newest' ? keepFirst(query.limit) : keepSmallest(query.limit);
  let total = 0;
  const read = createPathReader((bytes, start, to) => {
    const from = isHere(bytes, start) ? start + 2 : start;
    if (!glob.matchesAll && !glob.matches(bytes.toString('utf8', from, to))) return;
    total += 1;
    kept.add(bytes, from, to);
  });
  const { includeIgnored } = query;
  const end = await context.ripgrep.run({
    args: listArguments(order, {
      includeIgnored,
      depth: glob.depth,
      names: glob.names,
      hidden: ownGlobs({ roots: context.roots, place }),
    }),
    cwd: place.cwd,
    signal,
    deadline,
    take: (chunk) => {
      read(chunk);
      return true;
    },
  });
  refuse(end);
  return { ...end, paths: kept.paths(), total };
}

interface Kept {
  /** Copies the bytes if it keeps them. */
  add(bytes: Buffer, from: number, to: number): void;
  paths(): readonly Buffer[];
}

function keepFirst(limit: number): Kept {
  const paths: Buffer[] = [];
  return {
    add: (bytes, from, to) => {
      if (paths.length < limit) paths.push(Buffer.from(bytes.subarray(from, to)));
    },
    paths: () => paths,
  };
}

function keepSmallest(limit: number): Kept {
  const first = createFirstGroups<true>(limit);
  return {
    add: (bytes, from, to) => {
      if (!first.wants(bytes, from, to)) return;
      first.add({ path: Buffer.from(bytes.subarray(from, to)), items: [true] });
    },
    paths: () => first.groups.map(({ path }) => path),
  };
}

/** Drops results that are not inside now: a link created during the walk can lead ripgrep outside. */
function stillInside({ context, place, began }: Job, listed: readonly Buffer[]): Looked {
  const where = { roots: context.roots, place };
  const paths = listed.filter((path) => !isOwn(where, path));
  const calm = findCalm(place, new Set(paths.map(folderOf)), began);
  const doubtful = paths.filter((path) => !calm.has(folderOf(path)));
  if (doubtful.length === 0) return { inside: paths, tooLong: [] };
  const looked = lookInside(where, doubtful, (stat) => stat.isFile());
  const inside = new Set(looked.inside);
  return {
    inside: paths.filter((path) => calm.has(folderOf(path)) || inside.has(path)),
    tooLong: looked.tooLong,
  };
}
