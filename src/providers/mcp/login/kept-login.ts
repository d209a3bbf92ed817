import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../../../lib/sha256.js';
import { isRecord } from '../../../lib/is-record.js';
import type { LoginSettings } from './settings.js';

/** Our client registration at one authorization server. */
export interface KeptClient {
  readonly id: string;
  readonly secret?: string;
  /** The client authentication method of the registration. */
  readonly method?: string;
  /** The registered redirect URI. Absent if the operator registered the client. */
  readonly redirect?: string;
}

export interface KeptTokens {
  readonly access: string;
  readonly refresh?: string;
  /** In milliseconds since 1970. Absent if unknown. */
  readonly until?: number;
  /** The granted scope, or the requested one if unknown. */
  readonly scope?: string;
}

/** Everything that one authorization server issued for one server. It must not be used elsewhere. */
export interface KeptGrant {
  readonly client?: KeptClient;
  readonly tokens?: KeptTokens;
  /** The checked metadata of the authorization server. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly resource?: string;
}

export interface KeptLogin {
  readonly server: string;
  /** The current authorization server; absent until the first login. */
  readonly issuer?: string;
  /** By issuer. */
  readonly grants: Readonly<Record<string, KeptGrant>>;
  /** Scopes that the server requires in addition to the granted ones. */
  readonly wanted?: string;
}

/** The logins of this user: one file per server, readable by this user only. */
export interface LoginFiles {
  read(key: string): KeptLogin | undefined;
  /** Changes with every write. Costs one stat call. */
  stamp(key: string): string;
  write(key: string, login: KeptLogin): void;
  remove(key: string): void;
  /** Runs the work while holding the lock of this login. */
  alone<T>(key: string, work: () => Promise<T>): Promise<T>;
}

const format = 1;

/** Servers with the same URL and client share a login, whatever their names. */
export function loginKey(url: string, settings: LoginSettings = {}): string {
  const { clientId, clientDocument } = settings;
  const who = JSON.stringify([format, new URL(url).href, clientId ?? null, clientDocument ?? null]);
  return sha256Of(who);
}

/** Runs work while holding the lock file. */
export type Locking = <T>(lock: string, work: () => Promise<T>) => Promise<T>;

export function openLoginFiles(stateDir: string, locking: Locking): LoginFiles {
  const folder = join(stateDir, 'logins');
  const fileOf = (key: string): string => join(folder, `${key}.json`);

  function prepare(): void {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // An existing folder may be accessible to other users.
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  }

  return {
    read(key) {
      try {
        return readLogin(JSON.parse(readFileSync(fileOf(key), 'utf8')));
      } catch {
        // Missing or damaged: counts as not logged in.
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

/** The current grant. */
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

/** Whether it is a valid date. Files written by older versions may contain invalid ones. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15;
}
