import { canonical, type Change, edit, objectAt } from '../../clients/index.js';
import { openSecrets, ownName, type Problem } from '../../config/index.js';
import { recordServer } from '../../config/started/index.js';
import type { State } from '../../workspace/locate-config.js';
import { openBackups, withBackupsLock } from '../../workspace/client-files/backups.js';
import {
  assertReplaceable,
  type ForeignFile,
  hashOf,
  readForeign,
  replaceForeign,
  withoutLinks,
} from '../../workspace/client-files/foreign-file.js';
import type { ImportPlan } from './import-plan.js';
import type { Point } from './plan-points.js';
import { ImportRefused } from '../../workspace/client-files/refused.js';

export interface Applied {
  /** The newly trusted file; undefined if nothing was written. */
  readonly written?: { readonly file: string; readonly sha256: string };
  /** Names of the saved secrets. */
  readonly kept: readonly string[];
  readonly pointed: readonly string[];
}

/** The state directory has a problem: nothing, or only part of it, was done. */
export class StateRefused extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * Applies the plan in this order: secrets, tidegate.yaml, its trust, then client files, each with a backup. Each file
 * is replaced atomically, and whatever a client file refers to exists first.
 */
export function applyImport(plan: ImportPlan, state: State, keepsSecrets: boolean): Applied {
  return withBackupsLock(state.directory, () => {
    const isNew = plan.target.content === undefined;
    const isChanged = plan.text !== (plan.target.content?.text ?? '') || (isNew && plan.text !== '');
    const ready = plan.points.flatMap((point) => readied(point));
    if (isChanged) assertSame(plan);
    const fresh = keepsSecrets ? plan.secrets.filter(({ isThere }) => !isThere) : [];
    if (fresh.length > 0)
      refuse(
        openSecrets(state.directory).keep(Object.fromEntries(fresh.map(({ name, value }) => [name, value]))),
      );
    const written = isChanged ? writeTarget(plan, state) : undefined;
    const backups = openBackups(state.directory);
    backups.sweep();
    for (const { point, now, text } of ready) {
      const file = now?.path ?? withoutLinks(point.source.file.path);
      backups.keep({
        client: point.source.client.name,
        via: point.source.file.path,
        file,
        before: now?.bytes,
        after: text,
        changes: point.changes.map(({ section, remove, add }) => ({
          section,
          removed: remove,
          ...(add && { added: add.name }),
        })),
      });
      replaceForeign(file, text, 0o600);
    }
    return {
      ...(written && { written }),
      kept: fresh.map(({ name }) => name),
      pointed: ready.map(({ point }) => point.source.file.path),
    };
  });
}

function assertSame({ target }: ImportPlan): void {
  if (readForeign(target.file)?.sha256 !== target.content?.sha256) throw changed(target.file);
  assertReplaceable(target.file);
}

function changed(file: string): ImportRefused {
  const message = `${file} changed after the plan was shown. Nothing was written.`;
  return new ImportRefused('import.changed', message, 'tidegate import');
}

function writeTarget({ target, text, runs }: ImportPlan, state: State): NonNullable<Applied['written']> {
  replaceForeign(target.file, text);
  // A new file has a real path only after it is written.
  const file = readForeign(target.file)?.path ?? target.file;
  // Trust the bytes that were shown, not what the file contains now.
  const sha256 = hashOf(text);
  const link = ownName(target.link);
  for (const name of new Set([file, link])) refuse(state.trust.record(name, sha256, { content: text }));
  for (const standing of runs) refuse(recordServer(standing, state.trust));
  return { file, sha256 };
}

function refuse(problem: Problem | undefined): void {
  if (problem !== undefined) throw new StateRefused(problem);
}

interface Ready {
  readonly point: Point;
  readonly now: ForeignFile | undefined;
  readonly text: string;
}

/** Clients rewrite their files often: the edit is redone if the entries it replaces are still the ones shown. */
function readied(point: Point): readonly Ready[] {
  const { source, changes, after } = point;
  if (after === undefined) return [];
  const now = readForeign(source.file.path);
  // A changed link leads to a file the user was not shown.
  if (now !== undefined && source.content !== undefined && now.path !== source.content.path)
    throw changed(source.file.path);
  assertReplaceable(now?.path ?? source.file.path);
  if (now?.sha256 === source.content?.sha256) return [{ point, now, text: after }];
  const text = now?.text ?? '';
  if (!changes.every((change) => isSame(point, change, text))) throw changed(source.file.path);
  return [{ point, now, text: changes.reduce((so, change) => edit(source.client.format, so, change), text) }];
}

function isSame({ source, before }: Point, { section, remove, add }: Change, text: string): boolean {
  const { format } = source.client;
  const names = [...remove, ...(add === undefined ? [] : [add.name])];
  try {
    const [then, now] = [before, text].map((one) => objectAt(format.parse(one), section));
    return names.every((name) => canonical(then?.[name]) === canonical(now?.[name]));
  } catch {
    return false;
  }
}
