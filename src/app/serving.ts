import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, isLoopbackHost } from '../config/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Principal, Session, SessionScope } from '../kernel/index.js';
import {
  type DoorServer,
  type Guest,
  type HttpServer,
  serveStdio,
  standardStreams,
  type WireCommon,
} from '../wire/index.js';
import { openBearerToken } from './bearer-token.js';
import type { OpenedAccess } from './open-access.js';
import type { OpenedSurface } from './open-surface.js';

export interface ServingParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly config: Config;
  readonly operator: Principal;
  readonly opened: OpenedAccess;
  readonly surface: OpenedSurface;
  readonly localSession: (scope: SessionScope) => Session;
  readonly stateDirectory: string;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export interface HttpServing {
  readonly url: string;
  readonly auth: 'token' | 'none';
  readonly tokenFile: string;
  /** Only when it was made just now. */
  readonly token: string | undefined;
  close(): Promise<void>;
}

/** The ways in which a gate meets its clients. */
export interface Serving {
  /** Serves the process's own stdin and stdout; resolves when the client is gone. */
  serveStdio(): Promise<void>;
  /** Serves whoever shows a ticket at a local socket. */
  serveDoor(address: string, admit: (ticket: string) => Guest | undefined): Promise<DoorServer>;
  serveHttp(at?: { readonly port?: number; readonly host?: string }): Promise<HttpServing>;
}

/** Where a running `serve` tells the other commands of this machine that it is there. */
export function runningFile(stateDirectory: string): string {
  return join(stateDirectory, 'serve.json');
}

export function createServing(parts: ServingParts): Serving {
  return {
    async serveStdio() {
      const server = serveStdio({
        gateway: parts.gateway,
        common: parts.common,
        session: parts.localSession('connection'),
        ...standardStreams(),
      });
      const orphaned = watchParent(() => server.close());
      await Promise.race([server.ended, orphaned.orphaned]);
      orphaned.stop();
    },
    async serveDoor(address, admit) {
      const { serveDoor } = await import('../wire/door/serve-door.js');
      return serveDoor({ address, admit, common: parts.common });
    },
    async serveHttp(at = {}) {
      const host = at.host ?? parts.config.http.host;
      const { auth } = parts.config.http;
      if (auth === 'none' && !isLoopbackHost(host)) {
        throw new Error(`http.auth: none is allowed on loopback only, not on ${host}`);
      }
      const token = openBearerToken(parts.stateDirectory);
      const isOperator = (authorization: string | undefined): boolean => token.matches(authorization);
      const { opened, config, gateway, operator, surface } = parts;
      const [{ serveHttp }, { createHttpAccess }] = await Promise.all([
        import('../wire/http.js'),
        import('./http-access.js'),
      ]);
      const server = await serveHttp({
        gateway: parts.gateway,
        common: parts.common,
        host,
        port: at.port ?? config.http.port,
        now: () => Date.now(),
        warn: parts.warn,
        ...createHttpAccess({
          opened,
          gateway,
          surface,
          operator,
          zone: config.access.zone,
          auth,
          isOperator,
        }),
      });
      return announced(server, parts, auth, token);
    },
  };
}

function announced(
  server: HttpServer,
  { stateDirectory, config }: ServingParts,
  auth: 'token' | 'none',
  token: ReturnType<typeof openBearerToken>,
): HttpServing {
  const file = runningFile(stateDirectory);
  writeFileSync(file, `${JSON.stringify({ url: server.url, pid: process.pid, file: config.file })}\n`, {
    mode: 0o600,
  });
  return {
    url: server.url,
    auth,
    tokenFile: token.file,
    token: token.fresh,
    async close() {
      rmSync(file, { force: true });
      await server.close();
    },
  };
}

const parentMs = 1000;

/** A client that was killed may leave its pipe to someone else; its process is gone all the same. */
function watchParent(onOrphaned: () => void): { readonly orphaned: Promise<void>; stop(): void } {
  const parent = process.ppid;
  let timer: NodeJS.Timeout | undefined;
  const orphaned = new Promise<void>((resolve) => {
    timer = setInterval(() => {
      if (process.ppid === parent) return;
      onOrphaned();
      resolve();
    }, parentMs);
    timer.unref();
  });
  return { orphaned, stop: () => clearInterval(timer) };
}
