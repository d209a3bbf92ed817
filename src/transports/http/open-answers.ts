import type { ServerResponse } from 'node:http';
import type { HttpLine } from './http-line.js';

/** One answer while it is being given. */
export interface OpenAnswer {
  /** The credential that it is given to. */
  readonly owner: string;
  readonly line: HttpLine;
  /** Says a last word where there is one: the gate closes. */
  readonly finish?: () => void;
  /** Ends the work that it is about. */
  readonly cancel?: () => void;
}

/** The answers that are being given, until their connections close. */
export interface OpenAnswers {
  add(response: ServerResponse, answer: OpenAnswer): void;
  keepAlive(): void;
  /** Gives nothing more to those whose credential no longer holds. */
  endVoid(isAlive: (credential: string) => boolean): void;
  finishAll(): void;
}

export function createOpenAnswers(): OpenAnswers {
  const open = new Set<OpenAnswer>();
  return {
    add(response, answer) {
      open.add(answer);
      response.once('close', () => open.delete(answer));
    },
    keepAlive() {
      for (const { line } of open) line.keepAlive();
    },
    endVoid(isAlive) {
      for (const answer of [...open]) {
        if (isAlive(answer.owner)) continue;
        open.delete(answer);
        answer.line.refuse();
        answer.cancel?.();
      }
    },
    finishAll() {
      for (const { finish } of [...open]) finish?.();
    },
  };
}
