import type { ServerResponse } from 'node:http';
import { event, sseHeaders } from './http-line.js';

/** Sends messages that belong to no request to a stateful client. Keeps some while there is no listener. */
export interface PushStream {
  open(response: ServerResponse): void;
  send(text: string): void;
  keepAlive(): void;
  close(): void;
  readonly isOpen: boolean;
}

const maxKept = 100;
const maxUnreadBytes = 4 * 1024 * 1024;

export function openPushStream(): PushStream {
  let current: ServerResponse | undefined;
  let kept: string[] = [];

  function write(response: ServerResponse, text: string): void {
    if (response.writableLength > maxUnreadBytes) response.destroy();
    else response.write(text);
  }

  return {
    open(response) {
      // One stream at a time, because a message must never be sent on two.
      current?.end();
      current = response;
      response.writeHead(200, sseHeaders);
      response.flushHeaders();
      response.on('close', () => {
        if (current === response) current = undefined;
      });
      for (const text of kept) write(response, event(text));
      kept = [];
    },
    send(text) {
      if (current) write(current, event(text));
      else if (!kept.includes(text)) kept = [...kept, text].slice(-maxKept);
    },
    keepAlive() {
      if (current) write(current, ':\n\n');
    },
    close() {
      current?.end();
      current = undefined;
      kept = [];
    },
    get isOpen() {
      return current !== undefined;
    },
  };
}
