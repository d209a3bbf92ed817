import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../access/ports.js';
import { describeProblem } from '../../config/index.js';
import type { Located } from '../locate-config.js';
import { openAccessStore, storeFile } from '../open-store.js';
import type { Check, Finding } from './check.js';
import { policyPlace } from './trust-checks.js';
import type { Scene } from './scene.js';

export const rightsChecks: readonly Check[] = [
  {
    id: 'policy',
    group: 'rights',
    title: 'Profiles',
    why: 'Profiles say what agents can see and call. With an error in them nobody but you is let in.',
    remedy: '`tidegate config check` shows every problem with its place.',
    run: async (scene) => policyFindings(scene, await scene.located()),
  },
  {
    id: 'store',
    group: 'rights',
    title: 'Store',
    why: 'Grants, tokens and records are kept there. When it cannot be read, everybody but you is refused.',
    remedy:
      'Put a damaged file aside and bring back a copy; for PostgreSQL, look at its address and its log.',
    limitMs: 20_000,
    run: async (scene) => [await storeFinding(scene, await scene.located())],
  },
];

async function policyFindings(scene: Scene, located: Located | undefined): Promise<readonly Finding[]> {
  if (located === undefined) return [{ state: 'skipped', detail: 'there is no place to look at' }];
  if (scene.obstacle() !== undefined)
    return [{ state: 'skipped', detail: 'the state directory cannot be read' }];
  const { checkPolicy } = await import('../check-policy.js');
  const { files, problems } = await checkPolicy(policyPlace(scene, located), undefined);
  // Whether they are trusted is told elsewhere.
  const own = problems.filter(({ code }) => !['profiles.untrusted', 'profiles.changed'].includes(code));
  if (own.length > 0) {
    const isWrong = own.some(({ severity }) => severity === 'error');
    const more = own.slice(0, 5).map(describeProblem);
    const detail = `${String(own.length)} ${own.length === 1 ? 'problem' : 'problems'}`;
    return [{ state: isWrong ? 'fail' : 'warn', detail, more, next: 'tidegate config check' }];
  }
  const detail = files.length === 0 ? 'the shipped ones apply' : files.map(({ file }) => file).join(', ');
  return [{ state: 'ok', detail }];
}

async function storeFinding(scene: Scene, located: Located | undefined): Promise<Finding> {
  if (scene.obstacle() !== undefined)
    return { state: 'skipped', detail: 'the state directory cannot be read' };
  if (located !== undefined && located.file !== undefined && !located.isTrusted)
    return ofSqlite(scene, undefined, 'the file is not trusted, so its store is not used; ');
  const store = located?.config.store ?? { kind: 'sqlite' as const };
  if (store.kind === 'memory')
    return { state: 'note', detail: 'in memory: grants and records end with the gate' };
  return store.kind === 'sqlite' ? ofSqlite(scene, store.file, '') : ofPostgres(scene, store.url);
}

async function ofSqlite(scene: Scene, named: string | undefined, before: string): Promise<Finding> {
  const file = storeFile({ kind: 'sqlite', ...(named !== undefined && { file: named }) }, scene.home);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return { state: 'ok', detail: `${before}${file} is made when it is needed` };
  const next = `put it aside, and bring back a copy: ${file}`;
  if (!stats.isFile()) return { state: 'fail', detail: `${file} is not a regular file`, next };
  const { inspectSqlite } = await import('../../stores/sqlite/index.js');
  try {
    const { version, known, isWhole, records } = await inspectSqlite(file);
    const facts = { file, schema: version, known, bytes: stats.size, records };
    const size = `${(stats.size / 1024 / 1024).toFixed(1)} MB`;
    const schema =
      version < known
        ? `schema ${String(version)}, brought up to date at its next use`
        : `schema ${String(version)}`;
    const whole = isWhole === undefined ? 'too large to be looked through here' : 'sound';
    if (isWhole === false) return { state: 'fail', detail: `${file} is damaged`, next, facts };
    return { state: 'ok', detail: `${before}SQLite, ${schema}, ${size}, ${whole}`, facts };
  } catch (error) {
    return {
      state: 'fail',
      detail: messageOf(error),
      next:
        error instanceof StoreError && error.code === 'store.newer_schema'
          ? 'npm install -g tidegate@latest'
          : next,
    };
  }
}

const answerMs = 8000;

async function ofPostgres(scene: Scene, url: string): Promise<Finding> {
  const place = placeOf(url);
  const next = 'look whether it runs and may be reached: store.url in tidegate.yaml';
  const begun = performance.now();
  const opening = openAccessStore({ kind: 'postgres', url }, scene.home, () => undefined);
  const late = sleep(answerMs, undefined, { signal: scene.signal, ref: false }).catch(() => undefined);
  try {
    const store = await Promise.race([opening, late]);
    if (store === undefined) {
      void opening.then((opened) => opened.close()).catch(() => undefined);
      return { state: 'fail', detail: `PostgreSQL at ${place} gives no answer`, next };
    }
    try {
      const revision = await Promise.race([store.revision('local'), late]);
      if (revision === undefined)
        return { state: 'fail', detail: `PostgreSQL at ${place} gives no answer`, next };
      const ms = Math.round(performance.now() - begun);
      return { state: 'ok', detail: `PostgreSQL at ${place}, in ${String(ms)} ms`, facts: { place, ms } };
    } finally {
      await Promise.race([store.close(), sleep(1000, undefined, { ref: false })]);
    }
  } catch (error) {
    return { state: 'fail', detail: messageOf(error), next };
  }
}

/** Without the user and the password. */
function placeOf(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
  } catch {
    return 'its address';
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
