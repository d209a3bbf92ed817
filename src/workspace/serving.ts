import { join } from 'node:path';
import type { SocketGuest, SocketServer } from '../gateway/index.js';

export interface HttpServing {
  readonly url: string;
  readonly auth: 'token' | 'none';
  readonly tokenFile: string;
  /** Only if it was just created. */
  readonly token: string | undefined;
  close(): Promise<void>;
}

/** How a gateway serves its clients. */
export interface Serving {
  /** Serves stdin and stdout; resolves when the client disconnects. */
  serveStdio(): Promise<void>;
  /** Serves clients with a valid ticket on a local socket. */
  serveSocket(address: string, admit: (ticket: string) => SocketGuest | undefined): Promise<SocketServer>;
  serveHttp(at?: { readonly port?: number; readonly host?: string }): Promise<HttpServing>;
}

/** The file in which a running `serve` announces itself to other commands. */
export function runningFile(stateDirectory: string): string {
  return join(stateDirectory, 'serve.json');
}
