import { join, resolve } from 'node:path';
import { isRecord } from '../lib/is-record.js';
import { StoreError, type ZoneHead } from '../access/ports/index.js';
import type { Config } from '../config/index.js';
import { withFileLock } from '../lib/file-lock.js';
import { readPrivateFile, replacePrivateFile } from '../config/private-file.js';
import { storeFile } from './store-file.js';

/** Remembers which store held the access rules of each zone, so that a lost store is not mistaken for a first start. */
export interface KnownStore {
  /** Whether the store held access rules of any zone. */
  isKnown(): boolean;
  /** Throws `store.lost` if the zone is empty or not the known one. */
  check(zone: string, head: ZoneHead): void;
  /** Like `check`, and records a zone at its first change. */
  require(zone: string, head: ZoneHead): void;
  /** Accepts a new store. Returns false if none was known. */
  forget(zone: string): boolean;
  /** The error for a missing store. */
  lost(reason: string): StoreError;
}

type Origins = Readonly<Record<string, string>>;
type Stores = Readonly<Record<string, Origins>>;

const largest = 1024 * 1024;

export function openKnownStore(
  config: Config['store'],
  stateDirectory: string,
  warn: (message: string, fields: Readonly<Record<string, unknown>>) => void,
): KnownStore {
  const path = join(stateDirectory, 'known-stores.json');
  const place = placeOf(config, stateDirectory);
  let known: Origins | undefined;
  let isFailureLogged = false;

  const lost = (reason: string): StoreError =>
    new StoreError(
      'store.lost',
      `${reason} Restore a backup of the store. To continue with the current store instead: tidegate access accept-store`,
    );

  function read(): Stores {
    const content = readPrivateFile(path, { largest, forbidden: 0o022 });
    if (content.state === 'absent') return {};
    const stores = content.state === 'sound' ? parse(content.text) : undefined;
    if (stores !== undefined) return stores;
    const reason = content.state === 'sound' ? 'it was not written by Tidegate' : content.reason;
    throw lost(`The file ${path}, which records known stores, cannot be used: ${reason}.`);
  }

  function change(next: (origins: Origins) => Origins, isStartingOver = false): void {
    withFileLock(`${path}.lock`, (isHeld) => {
      const stores = isStartingOver ? readOrNothing(read) : read();
      const origins = next(stores[place] ?? {});
      const text = JSON.stringify({ version: 1, stores: { ...stores, [place]: origins } }, undefined, 2);
      replacePrivateFile(path, `${text}\n`, isHeld);
      known = origins;
    });
  }

  function remember(zone: string, origin: string): void {
    try {
      change((origins) => ({ [zone]: origin, ...origins }));
    } catch (error) {
      if (error instanceof StoreError) throw error;
      if (!isFailureLogged) warn('could not record the store as known', { file: path, error: String(error) });
      isFailureLogged = true;
    }
  }

  const originsNow = (): Origins => (known = read()[place] ?? {});

  /** Reads the file again, because another process may have recorded or accepted the store. */
  function check(zone: string, { origin, revision }: ZoneHead): void {
    const expected = originsNow()[zone];
    if (expected === undefined || expected === origin) return;
    const what = revision === 0 ? 'is empty' : 'is not the same store as before';
    throw lost(`The store ${place} ${what}: the grants, blocks and tokens of zone ${zone} are missing.`);
  }

  return {
    isKnown: () => Object.keys(originsNow()).length > 0,
    check,
    require(zone, head) {
      known ??= originsNow();
      if (known[zone] === head.origin || (known[zone] === undefined && head.revision === 0)) return;
      check(zone, head);
      if (known[zone] === undefined && head.revision > 0) remember(zone, head.origin);
    },
    forget(zone) {
      const wasKnown = readOrNothing(read)[place]?.[zone] !== undefined;
      change(({ [zone]: _gone, ...others }) => others, true);
      return wasKnown;
    },
    lost,
  };
}

/** The file path, or the database URL without user and password. */
function placeOf(config: Config['store'], stateDirectory: string): string {
  if (config.kind === 'sqlite') return resolve(storeFile(config, stateDirectory));
  if (config.kind === 'memory') return 'memory';
  try {
    const { hostname, port, pathname } = new URL(config.url);
    return `postgres://${hostname}:${port || '5432'}${pathname}`;
  } catch {
    return 'postgres';
  }
}

function readOrNothing(read: () => Stores): Stores {
  try {
    return read();
  } catch {
    return {};
  }
}

function parse(text: string): Stores | undefined {
  try {
    const content: unknown = JSON.parse(text);
    if (!isRecord(content) || content['version'] !== 1 || !isRecord(content['stores'])) return undefined;
    return Object.values(content['stores']).every(isOrigins) ? (content['stores'] as Stores) : undefined;
  } catch {
    return undefined;
  }
}

function isOrigins(value: unknown): value is Origins {
  return isRecord(value) && Object.values(value).every((origin) => typeof origin === 'string');
}
