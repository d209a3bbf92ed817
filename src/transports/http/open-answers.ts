import type { ServerResponse } from 'node:http';
import type { HttpLine } from './http-line.js';

/** An answer in progress. */
export interface OpenAnswer {
  /** The credential of the receiver. */
  readonly owner: string;
  readonly line: HttpLine;
  /** Send a final message, if there is one, when the gateway closes. */
  readonly finish?: () => void;
  /** Cancel the work behind the answer. */
  readonly cancel?: () => void;
}

/** The answers in progress, until their connections close. */
export interface OpenAnswers {
  add(response: ServerResponse, answer: OpenAnswer): void;
  keepAlive(): void;
  /** Stop sending to receivers whose credential is no longer valid. */
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
