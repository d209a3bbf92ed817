import type { BigIntStats } from 'node:fs';
import { sha256Of } from '../../lib/sha256.js';

/** The state of a file when a session last read or wrote it. */
export interface Knowledge {
  readonly identity: string;
  /** Absent for large files, which are compared by identity only. */
  readonly hash?: string;
}

export interface Known {
  recall(session: string, path: string): Knowledge | undefined;
  learn(session: string, path: string, knowledge: Knowledge): void;
}

export interface KnownLimits {
  readonly sessions: number;
  readonly files: number;
}

/** Files up to this size are compared by content. */
export const maxHashed = 1024 * 1024;

/** Remembers files per session. Drops the least recently used session first; it then has to read again. */
export function createKnown({ sessions, files }: KnownLimits = { sessions: 128, files: 512 }): Known {
  const bySession = new Map<string, Map<string, Knowledge>>();
  return {
    recall(session, path) {
      const known = bySession.get(session);
      const knowledge = known?.get(path);
      if (known) putLast(bySession, session, known, sessions);
      if (known && knowledge) putLast(known, path, knowledge, files);
      return knowledge;
    },
    learn(session, path, knowledge) {
      const known = bySession.get(session) ?? new Map<string, Knowledge>();
      putLast(known, path, knowledge, files);
      putLast(bySession, session, known, sessions);
    },
  };
}

export function knowledgeOf(stats: BigIntStats, content?: Uint8Array): Knowledge {
  const identity = identityOf(stats);
  if (content === undefined || content.length > maxHashed) return { identity };
  return { identity, hash: sha256Of(content, 'base64') };
}

/** Content decides if known: a file that was only touched, or changed back, counts as unchanged. */
export function isAsKnown(knowledge: Knowledge, now: Knowledge): boolean {
  if (knowledge.hash !== undefined && now.hash !== undefined) return knowledge.hash === now.hash;
  return knowledge.identity === now.identity;
}

export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

function putLast<K, V>(map: Map<K, V>, key: K, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > limit && oldest !== undefined) map.delete(oldest);
}
