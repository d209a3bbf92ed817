import type { Caller } from '../../core/index.js';

/** Why a caller was refused. For the operator's log, never for the caller. */
export interface Refused {
  readonly refused: string;
  /** The id of a known token that is no longer valid. */
  readonly tokenId?: string;
}

/** The caller with this Authorization header. Throws or rejects if the store is unavailable. */
export type Identify = (authorization: string | undefined) => Caller | Refused | Promise<Caller | Refused>;

/** Reports whether credentials that were valid at login still are. */
export interface CredentialWatch {
  isAlive(credential: string): boolean;
  /** Called when some credentials may have become invalid. */
  onChange(listener: () => void): () => void;
  /**
   * Reports how many callers were refused, and why. Rate-limited, so that failed logins cannot fill the disk.
   */
  keptOut?(fields: Readonly<Record<string, unknown>>): void;
}

/** Check each credential once, however many sessions and streams it has. */
export function withMemory(isAlive: (credential: string) => boolean): (credential: string) => boolean {
  const known = new Map<string, boolean>();
  return (credential) => {
    const answer = known.get(credential) ?? isAlive(credential);
    known.set(credential, answer);
    return answer;
  };
}

/**
 * The session id of a credential at one of our endpoints. Written so that the log does not redact it as a
 * secret.
 */
export function sessionIdAt(entry: 'modern' | 'admin', credential: string): string {
  return `${entry}/${credential.replace(/^token:/, '')}`;
}
