import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../is-record.js';
import type { LoginSettings } from './settings.js';

/** The client that we are for one authorization server. */
export interface KeptClient {
  readonly id: string;
  readonly secret?: string;
  /** How the registration says that the client proves itself. */
  readonly method?: string;
  /** The way back that it was registered with. Absent: it was not registered by us. */
  readonly redirect?: string;
}

export interface KeptTokens {
  readonly access: string;
  readonly refresh?: string;
  /** In milliseconds since 1970. Absent: nobody said. */
  readonly until?: number;
  /** What was granted, or else what was asked for. */
  readonly scope?: string;
}

/** All that one authorization server gave us for one server. Nothing of it is good for another one. */
export interface KeptGrant {
  readonly client?: KeptClient;
  readonly tokens?: KeptTokens;
  /** The metadata of the authorization server, as it was checked. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly resource?: string;
}

export interface KeptLogin {
  readonly server: string;
  /** The authorization server that counts now; absent until the first login. */
  readonly issuer?: string;
  /** By the issuer that each came from. */
  readonly grants: Readonly<Record<string, KeptGrant>>;
  /** What the server said it wants on top of what was granted. */
  readonly wanted?: string;
}

/** The logins of this operator: one file for each server, which nobody else can read. */
export interface LoginFiles {
  read(key: string): KeptLogin | undefined;
  /** Changes with every write. Costs one look at the file. */
  stamp(key: string): string;
  write(key: string, login: KeptLogin): void;
  remove(key: string): void;
  /** Runs the work while no other process does any on the same login. */
  alone<T>(key: string, work: () => Promise<T>): Promise<T>;
}

const format = 1;

/** The same address and client share a login, under whatever name they stand in files. */
export function loginKey(url: string, settings: LoginSettings = {}): string {
  const { clientId, clientDocument } = settings;
  const who = JSON.stringify([format, new URL(url).href, clientId ?? null, clientDocument ?? null]);
  return createHash('sha256').update(who).digest('hex');
}

/** Runs work while nobody else holds the lock file. */
export type Locking = <T>(lock: string, work: () => Promise<T>) => Promise<T>;

export function openLoginFiles(stateDir: string, locking: Locking): LoginFiles {
  const folder = join(stateDir, 'logins');
  const fileOf = (key: string): string => join(folder, `${key}.json`);

  function prepare(): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // One that was there before may be open to others.
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  }

  return {
    read(key) {
      try {
        return readLogin(JSON.parse(readFileSync(fileOf(key), 'utf8')));
      } catch {
        // Absent or damaged: as if nobody had logged in.
        return undefined;
      }
    },
    stamp(key) {
      const found = statSync(fileOf(key), { throwIfNoEntry: false });
      return found === undefined ? '' : `${String(found.ino)} ${String(found.mtimeMs)} ${String(found.size)}`;
    },
    write(key, login) {
      prepare();
      const draft = join(folder, `.${key}.${randomUUID()}`);
      try {
        writeFileSync(draft, JSON.stringify({ format, ...login }), { mode: 0o600, flag: 'wx' });
        renameSync(draft, fileOf(key));
      } catch (error) {
        rmSync(draft, { force: true });
        throw error;
      }
    },
    remove: (key) => rmSync(fileOf(key), { force: true }),
    alone(key, work) {
      prepare();
      return locking(join(folder, `${key}.lock`), work);
    },
  };
}

/** The grant that counts now. */
export function grantOf(login: KeptLogin | undefined): KeptGrant | undefined {
  if (login?.issuer === undefined || !Object.hasOwn(login.grants, login.issuer)) return undefined;
  return login.grants[login.issuer];
}

export function withGrant(login: KeptLogin, issuer: string, grant: KeptGrant): KeptLogin {
  return { ...login, issuer, grants: { ...login.grants, [issuer]: grant } };
}

export function withoutTokens({ tokens: _tokens, ...rest }: KeptGrant): KeptGrant {
  return rest;
}

function readLogin(value: unknown): KeptLogin | undefined {
  if (!isRecord(value) || value['format'] !== format) return undefined;
  const { server, issuer, grants, wanted } = value;
  if (typeof server !== 'string' || !isRecord(grants)) return undefined;
  const sound = Object.entries(grants).flatMap(([from, grant]) => {
    const read = readGrant(grant);
    return read === undefined ? [] : [[from, read] as const];
  });
  return {
    server,
    grants: Object.fromEntries(sound),
    ...(typeof issuer === 'string' && { issuer }),
    ...(typeof wanted === 'string' && { wanted }),
  };
}

function readGrant(value: unknown): KeptGrant | undefined {
  if (!isRecord(value) || !isRecord(value['metadata'])) return undefined;
  const { metadata, resource } = value;
  const [client, tokens] = [readClient(value['client']), readTokens(value['tokens'])];
  return {
    metadata,
    ...(client && { client }),
    ...(tokens && { tokens }),
    ...(typeof resource === 'string' && { resource }),
  };
}

function readClient(value: unknown): KeptClient | undefined {
  if (!isRecord(value) || typeof value['id'] !== 'string') return undefined;
  const { id, secret, method, redirect } = value;
  return {
    id,
    ...(typeof redirect === 'string' && { redirect }),
    ...(typeof secret === 'string' && { secret }),
    ...(typeof method === 'string' && { method }),
  };
}

function readTokens(value: unknown): KeptTokens | undefined {
  if (!isRecord(value) || typeof value['access'] !== 'string') return undefined;
  const { access, refresh, until, scope } = value;
  return {
    access,
    ...(typeof refresh === 'string' && { refresh }),
    ...(isTime(until) && { until }),
    ...(typeof scope === 'string' && { scope }),
  };
}

/** Whether a date can be made of it: the file may be older than the care that is taken when it is written. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15;
}
