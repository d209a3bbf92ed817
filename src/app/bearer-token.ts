import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface BearerToken {
  readonly file: string;
  /** The token itself, only when it was made just now: it is shown once. */
  readonly fresh: string | undefined;
  matches(authorization: string | undefined): boolean;
}

export function tokenFile(stateDirectory: string): string {
  return join(stateDirectory, 'token');
}

/** The gate's token: made at the first start, readable by its owner alone. */
export function openBearerToken(stateDirectory: string): BearerToken {
  const file = tokenFile(stateDirectory);
  const known = readToken(file);
  const token = known ?? `tg_${randomBytes(32).toString('base64url')}`;
  if (known === undefined) writeFileSync(file, `${token}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  const right = digest(token);
  return {
    file,
    fresh: known === undefined ? token : undefined,
    matches(authorization) {
      const given = /^Bearer +([^\s]+)\s*$/i.exec(authorization ?? '')?.[1];
      return given !== undefined && timingSafeEqual(digest(given), right);
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

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
