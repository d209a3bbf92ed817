import { AccessError, formatTuple } from '../engine/index.js';
import { profileObject } from '../object-ids.js';
import type { GrantTuple } from '../ports/index.js';
import { summaryOf } from './changed.js';
import { AdminError } from './admin-error.js';
import { type AccessDocument, readDocument, type ReadDocument } from './document.js';
import type { AdminParts } from './parts.js';
import { quoted } from './receiver.js';
import { loopWith } from './role-loops.js';
import { said, type SaidTuple } from './sentences.js';
import { type Change, commit, fresh, onlyTuple } from './write.js';

export interface ImportOptions {
  /** Remove stored tuples that are not in the document. */
  readonly replace?: boolean;
  /** Only report what would change. */
  readonly dryRun?: boolean;
  /** Accept profiles that do not exist. */
  readonly force?: boolean;
}

export interface Imported {
  readonly changed: boolean;
  readonly isDryRun: boolean;
  readonly revision: number;
  readonly wrote: readonly SaidTuple[];
  readonly removed: readonly SaidTuple[];
  readonly notes: readonly string[];
}

const maxProblems = 100;

export async function exportAll(parts: AdminParts): Promise<AccessDocument> {
  const { zone, modelId: model, authorizer } = parts;
  const { revision } = await fresh(parts);
  const tuples = authorizer.replica.tuples.all().map(onlyTuple).sort(byWords);
  return { tidegate: 'access', format: 1, zone, revision, model, tuples };
}

/** Imports a document completely or not at all. */
export async function importAll(
  parts: AdminParts,
  document: unknown,
  { replace = false, dryRun = false, force = false }: ImportOptions = {},
): Promise<Imported> {
  const read = readDocument(document);
  await fresh(parts);
  refuseDocument(parts, read, { replace, force });
  const plan = (): Change => ({ ...(replace && { removeMatching: [{}] }), add: read.tuples });
  const notes = notesOf(parts, read);
  if (dryRun) return { ...planned(parts, read.tuples, replace), isDryRun: true, notes };
  const written = await commit(parts, plan, {
    action: 'access.import',
    target: parts.zone,
    detail: { replace },
  });
  return { ...summaryOf(written), isDryRun: false, notes };
}

function refuseDocument(
  parts: AdminParts,
  { zone, tuples, problems }: ReadDocument,
  { replace = false, force = false }: ImportOptions,
): void {
  if (zone !== undefined && zone !== parts.zone)
    throw new AdminError(
      'access.wrong_zone',
      `The document belongs to zone ${quoted(zone)}, but this is zone ${parts.zone}.`,
    );
  const all = [
    ...problems,
    ...tuples.flatMap((tuple) => problemOf(parts, tuple)),
    ...(force ? [] : unknownProfiles(parts, tuples)),
  ];
  const loop = loopWith(() => (replace ? [] : parts.authorizer.replica.tuples.all()), tuples);
  if (loop !== undefined) all.push(`a role would become a member of itself: ${loop.join(' in ')}`);
  if (all.length === 0) return;
  const count = all.length === 1 ? 'one problem' : `${String(all.length)} problems`;
  throw new AdminError(
    'access.bad_document',
    `Nothing was written: the document has ${count}.`,
    undefined,
    all.slice(0, maxProblems),
  );
}

/** Assigning an unknown profile would replace the current one and grant nothing. */
function unknownProfiles(parts: AdminParts, tuples: readonly GrantTuple[]): readonly string[] {
  const known = [...parts.profiles().profiles.keys()];
  return goneProfiles(parts, tuples).map((name) => {
    const near = parts.nearest(name, known);
    const hint = near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
    return `unknown profile ${quoted(name)}.${hint} Add it, or import with --force`;
  });
}

function goneProfiles({ profiles }: AdminParts, tuples: readonly GrantTuple[]): readonly string[] {
  const known = new Set([...profiles().profiles.keys()].map(profileObject));
  const unknown = tuples.filter(({ object }) => object.startsWith('profile:') && !known.has(object));
  return [...new Set(unknown.map(({ object }) => object.slice('profile:'.length)))];
}

/** Problems of a single tuple. */
function problemOf({ authorizer }: AdminParts, tuple: GrantTuple): readonly string[] {
  if (isDerived(tuple))
    return [`${formatTuple(tuple)}: is derived from the profiles file or the catalog and cannot be stored`];
  try {
    authorizer.predicates().engine.validate(tuple);
    return [];
  } catch (error) {
    if (error instanceof AccessError) return [error.message];
    throw error;
  }
}

function isDerived({ user, relation, object }: GrantTuple): boolean {
  const isMembership = /^(group|provider)$/.test(relation) && /^(tool|provider):/.test(object);
  return isMembership || /^profile:[^#]*#assignee$/.test(user);
}

/** Computes what the store would change, without writing. */
function planned(
  { authorizer }: AdminParts,
  tuples: readonly GrantTuple[],
  replace: boolean,
): Pick<Imported, 'changed' | 'revision' | 'wrote' | 'removed'> {
  const stored = new Map(
    authorizer.replica.tuples.all().map((tuple) => [formatTuple(tuple), onlyTuple(tuple)]),
  );
  const wanted = new Map(tuples.map((tuple) => [formatTuple(tuple), tuple]));
  const wrote = tuples.filter((tuple) => !isSame(stored.get(formatTuple(tuple)), tuple)).sort(byWords);
  const removed = [...stored.values()]
    .filter((tuple) => {
      const next = wanted.get(formatTuple(tuple));
      return next === undefined ? replace : !isSame(next, tuple);
    })
    .sort(byWords);
  const changed = wrote.length + removed.length > 0;
  return { changed, revision: authorizer.revision ?? 0, wrote: wrote.map(said), removed: removed.map(said) };
}

function isSame(one: GrantTuple | undefined, other: GrantTuple): boolean {
  return (
    one !== undefined && JSON.stringify(sorted(one.condition)) === JSON.stringify(sorted(other.condition))
  );
}

/** Compares conditions independent of key order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function byWords(a: GrantTuple, b: GrantTuple): number {
  return formatTuple(a) < formatTuple(b) ? -1 : 1;
}

function notesOf(parts: AdminParts, { model, tuples }: ReadDocument): readonly string[] {
  const notes: string[] = [];
  if (model !== undefined && model !== parts.modelId)
    notes.push('The document was written for another model, but all its tuples are valid in this one.');
  const names = goneProfiles(parts, tuples);
  if (names.length > 0) notes.push(`These profiles do not exist: ${names.slice(0, 10).join(', ')}.`);
  return notes;
}
