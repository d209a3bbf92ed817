import { lstatSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../lib/error-message.js';
import { StoreError } from '../../access/ports/index.js';
import { describeProblem } from '../../config/index.js';
import { shellWord } from '../../lib/shell-word.js';
import type { Located } from '../../workspace/locate-config.js';
import { openKnownStore } from '../../workspace/known-stores.js';
import { openAccessStore } from '../../workspace/open-store.js';
import { storeFile } from '../../workspace/store-file.js';
import type { Check, Finding } from './check.js';
import { policyPlace } from './trust-checks.js';
import type { Scene } from './scene.js';

export const rightsChecks: readonly Check[] = [
  {
    id: 'policy',
    group: 'rights',
    title: 'Profiles',
    why: 'Profiles define what agents can see and call. If they contain an error, everyone except you is denied access.',
    remedy: 'Run `tidegate config check` to see every problem with its line.',
    run: async (scene) => policyFindings(scene, await scene.located()),
  },
  {
    id: 'store',
    group: 'rights',
    title: 'Store',
    why: 'The store contains grants, tokens and records. If it cannot be read, everyone except you is denied access.',
    remedy:
      'Move a damaged file elsewhere and restore a backup. For PostgreSQL, check the address and the server log.',
    limitMs: 20_000,
    run: async (scene) => [await storeFinding(scene, await scene.located())],
  },
];

async function policyFindings(scene: Scene, located: Located | undefined): Promise<readonly Finding[]> {
  if (located === undefined) return [{ state: 'skipped', detail: 'no configuration was found' }];
  if (scene.obstacle() !== undefined)
    return [{ state: 'skipped', detail: 'the state directory cannot be read' }];
  const { checkPolicy } = await import('../../workspace/policy/check-policy.js');
  const { files, problems } = await checkPolicy(policyPlace(scene, located), undefined);
  // Trust is reported by its own check.
  const own = problems.filter(({ code }) => !['profiles.untrusted', 'profiles.changed'].includes(code));
  if (own.length > 0) {
    const isWrong = own.some(({ severity }) => severity === 'error');
    const more = own.slice(0, 5).map(describeProblem);
    const detail = `${String(own.length)} ${own.length === 1 ? 'problem' : 'problems'}`;
    return [{ state: isWrong ? 'fail' : 'warn', detail, more, next: 'tidegate config check' }];
  }
  const detail =
    files.length === 0 ? 'the built-in profiles apply' : files.map(({ file }) => file).join(', ');
  return [{ state: 'ok', detail }];
}

async function storeFinding(scene: Scene, located: Located | undefined): Promise<Finding> {
  if (scene.obstacle() !== undefined)
    return { state: 'skipped', detail: 'the state directory cannot be read' };
  if (located !== undefined && located.file !== undefined && !located.isTrusted)
    return ofSqlite(scene, {
      before: 'the configuration file is not trusted, so its store is not used; ',
      zone: 'local',
    });
  const store = located?.config.store ?? { kind: 'sqlite' as const };
  if (store.kind === 'memory')
    return { state: 'note', detail: 'in memory: grants and records are lost when Tidegate stops' };
  const zone = located?.config.access.zone ?? 'local';
  if (store.kind === 'postgres') return ofPostgres(scene, store.url, zone);
  return ofSqlite(scene, { zone, before: '', ...(store.file !== undefined && { file: store.file }) });
}

interface SqlitePlace {
  readonly file?: string;
  readonly zone: string;
  /** Prefix of the finding's text. */
  readonly before: string;
}

async function ofSqlite(scene: Scene, { file: named, zone, before }: SqlitePlace): Promise<Finding> {
  const config = { kind: 'sqlite' as const, ...(named !== undefined && { file: named }) };
  const file = storeFile(config, scene.home);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  const known = openKnownStore(config, scene.home, () => undefined);
  if (stats === undefined) {
    if (isKnown(known))
      return {
        ...lostFinding,
        detail: `${file} is missing, but it contained grants: everyone except you is denied access`,
      };
    return { state: 'ok', detail: `${before}${file} does not exist yet; it will be created when needed` };
  }
  const next = `move it elsewhere and restore a backup: ${shellWord(file)}`;
  if (!stats.isFile()) return { state: 'fail', detail: `${file} is not a regular file`, next };
  const { inspectSqlite } = await import('../../stores/sqlite/index.js');
  try {
    const { version, newest, isWhole, records, heads } = await inspectSqlite(file);
    // Stores with an older schema have no origins yet.
    if (version === 0 || version === newest)
      known.check(zone, heads.get(zone) ?? { revision: 0, history: '', origin: '' });
    const facts = { file, schema: version, known: newest, bytes: stats.size, records };
    const size = `${(stats.size / 1024 / 1024).toFixed(1)} MB`;
    const schema =
      version < newest ? `schema ${String(version)}, upgraded on next use` : `schema ${String(version)}`;
    const whole = isWhole === undefined ? 'too large to verify here' : 'intact';
    if (isWhole === false) return { state: 'fail', detail: `${file} is damaged`, next, facts };
    return { state: 'ok', detail: `${before}SQLite, ${schema}, ${size}, ${whole}`, facts };
  } catch (error) {
    if (isLost(error)) return { ...lostFinding, detail: messageOf(error) };
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

const lostFinding = { state: 'fail', next: 'tidegate access accept-store' } as const;

function isKnown(known: ReturnType<typeof openKnownStore>): boolean {
  try {
    return known.isKnown();
  } catch {
    return true;
  }
}

function isLost(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'store.lost';
}

const answerMs = 8000;

async function ofPostgres(scene: Scene, url: string, zone: string): Promise<Finding> {
  const place = placeOf(url);
  const next = 'check that the server is running and reachable: store.url in tidegate.yaml';
  const begun = performance.now();
  const opening = openAccessStore({ kind: 'postgres', url }, scene.home, () => undefined);
  const late = sleep(answerMs, undefined, { signal: scene.signal, ref: false }).catch(() => undefined);
  try {
    const store = await Promise.race([opening, late]);
    if (store === undefined) {
      void opening.then((opened) => opened.close()).catch(() => undefined);
      return { state: 'fail', detail: `PostgreSQL at ${place} does not respond`, next };
    }
    try {
      const head = await Promise.race([store.head(zone), late]);
      if (head === undefined)
        return { state: 'fail', detail: `PostgreSQL at ${place} does not respond`, next };
      const ms = Math.round(performance.now() - begun);
      return {
        state: 'ok',
        detail: `PostgreSQL at ${place}, responded in ${String(ms)} ms`,
        facts: { place, ms },
      };
    } finally {
      await Promise.race([store.close(), sleep(1000, undefined, { ref: false })]);
    }
  } catch (error) {
    if (isLost(error)) return { ...lostFinding, detail: messageOf(error) };
    return { state: 'fail', detail: messageOf(error), next };
  }
}

/** The address without user and password. */
function placeOf(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
  } catch {
    return 'the configured address';
  }
}
