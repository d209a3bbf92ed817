import { randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BearerToken {
  readonly file: string;
  /** The token itself, only if it was just created: it is shown once. */
  readonly fresh: string | undefined;
  matches(authorization: string | undefined): boolean;
}

export function tokenFile(stateDirectory: string): string {
  return join(stateDirectory, 'token');
}

/** The operator token: created at the first start, readable only by its owner. */
export function openBearerToken(stateDirectory: string): BearerToken {
  const file = tokenFile(stateDirectory);
  const known = readToken(file);
  const token = known ?? `tg_${randomBytes(32).toString('base64url')}`;
  if (known === undefined) writeFileSync(file, `${token}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  const right = Buffer.from(token);
  return {
    file,
    fresh: known === undefined ? token : undefined,
    matches(authorization) {
      const given = /^Bearer +([^\s]+)\s*$/i.exec(authorization ?? '')?.[1];
      // The length is not secret; the content is compared in constant time.
      return given?.length === right.length && timingSafeEqual(Buffer.from(given, 'latin1'), right);
    },
  };
}

export function readToken(file: string): string | undefined {
  try {
    const token = readFileSync(file, 'utf8').trim();
    return token === '' ? undefined : token;
  } catch {
    return undefined;
  }
}
