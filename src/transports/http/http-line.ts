import type { ServerResponse } from 'node:http';
import type { ReplyLine } from '../framing/reply-line.js';
import { answerJson } from './answer-json.js';
import { answerUnauthorized } from './unauthorized.js';

export interface HttpLine extends ReplyLine {
  /** Call regularly while the answer is pending, so that proxies keep the connection. */
  keepAlive(): void;
  /** Send nothing more: the credential is no longer valid. */
  refuse(): void;
  readonly isOpen: boolean;
}

/** How much a slow reader may leave unread on one stream before it is disconnected. */
const maxUnreadBytes = 8 * 1024 * 1024;

export const sseHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** One POST and its answer: plain JSON if only the answer is sent, otherwise an event stream. */
export function createHttpLine(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  acceptsStream: boolean,
  wrote: (bytes: number) => void,
): HttpLine {
  let state: 'waiting' | 'streaming' | 'done' = 'waiting';

  function stream(): boolean {
    if (state === 'waiting' && acceptsStream) {
      response.writeHead(200, { ...sseHeaders, ...headers });
      state = 'streaming';
    }
    return state === 'streaming';
  }

  function write(text: string): boolean {
    if (response.destroyed) return false;
    if (response.writableLength > maxUnreadBytes) {
      state = 'done';
      response.destroy();
      return false;
    }
    response.write(text);
    return true;
  }

  const send = (text: string): boolean => stream() && write(event(text));

  return {
    send,
    tell: send,
    end(text, status = 200) {
      if (state === 'done') return;
      if (state === 'streaming') response.end(event(text));
      else answerJson(response, status, text, headers);
      state = 'done';
      wrote(text.length);
    },
    drop() {
      if (state === 'waiting') response.writeHead(202, headers).end();
      else if (state === 'streaming') response.end();
      state = 'done';
    },
    refuse() {
      if (state === 'waiting') answerUnauthorized(response);
      else if (state === 'streaming') response.end();
      state = 'done';
    },
    keepAlive() {
      if (stream()) write(':\n\n');
    },
    get isOpen() {
      return state !== 'done';
    },
  };
}

export function event(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}
