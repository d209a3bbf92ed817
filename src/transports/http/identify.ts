import type { Caller } from '../../core/index.js';

/** Why nobody was let in. For the operator's log, never for whoever asked. */
export interface Refused {
  readonly refused: string;
  /** Of a token that is known, and no longer good. */
  readonly tokenId?: string;
}

/** Who holds this Authorization header. Throws or rejects when that cannot be found out now. */
export type Identify = (authorization: string | undefined) => Caller | Refused | Promise<Caller | Refused>;

/** How credentials stand that were good when somebody came in with them. */
export interface CredentialWatch {
  isAlive(credential: string): boolean;
  /** Tells that some may have become void. */
  onChange(listener: () => void): () => void;
  /** Told how many were not let in, and why: once in a while, so that nobody can fill a disk by trying. */
  keptOut?(fields: Readonly<Record<string, unknown>>): void;
}

/** Asks for each credential once, however many sessions and streams it has. */
export function withMemory(isAlive: (credential: string) => boolean): (credential: string) => boolean {
  const known = new Map<string, boolean>();
  return (credential) => {
    const answer = known.get(credential) ?? isAlive(credential);
    known.set(credential, answer);
    return answer;
  };
}

/** The session that a credential has at one of our doors. Spelt so that a log does not take the id for a secret. */
export function sessionIdAt(entry: 'modern' | 'admin', credential: string): string {
  return `${entry}/${credential.replace(/^token:/, '')}`;
}
