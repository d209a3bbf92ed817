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
export interface Serving extends HttpWorkspaceSource {
  /** Serves stdin and stdout; resolves when the client disconnects. */
  serveStdio(): Promise<void>;
  /** Serves clients with a valid ticket on a local socket. */
  serveSocket(address: string, admit: (ticket: string) => SocketGuest | undefined): Promise<SocketServer>;
  /** `beside`: other workspaces on the same address. */
  serveHttp(at?: {
    readonly port?: number;
    readonly host?: string;
    readonly beside?: readonly HttpWorkspaceSource[];
  }): Promise<HttpServing>;
}

export interface HttpWorkspaceSource {
  /** What `serveHttp` needs to serve this workspace together with others. Only `serveHttp` looks inside. */
  httpWorkspace(): Promise<object>;
}

/** The file in which a running `serve` announces itself to other commands. */
export function runningFile(stateDirectory: string): string {
  return join(stateDirectory, 'serve.json');
}
