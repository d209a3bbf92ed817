import { rmSync, writeFileSync } from 'node:fs';
import { type Config, isLoopbackHost } from '../config/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Principal, Session, SessionScope } from '../core/index.js';
import { type HttpServer, serveStdio, standardStreams, type WireCommon } from '../transports/index.js';
import type { HttpWorkspace } from '../transports/http/index.js';
import { type HttpServing, runningFile, type Serving } from '../workspace/serving.js';
import { openBearerToken } from '../workspace/bearer-token.js';
import type { OpenedAccess } from '../workspace/access/open-access.js';
import type { OpenedExposure } from '../workspace/open-exposure.js';
import type { SessionTelling } from '../features/context/index.js';

export interface ServingParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly config: Config;
  readonly operator: Principal;
  readonly opened: OpenedAccess;
  readonly exposure: OpenedExposure;
  readonly telling: SessionTelling;
  readonly localSession: (scope: SessionScope) => Session;
  readonly stateDirectory: string;
  /** The workspace, with links resolved. */
  readonly folder: string;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

export function createServing(parts: ServingParts): Serving {
  let opened: ReturnType<typeof openBearerToken> | undefined;
  const token = () => (opened ??= openBearerToken(parts.stateDirectory));
  return {
    async serveStdio() {
      parts.telling.begin();
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
    async serveSocket(address, admit) {
      const { serveSocket } = await import('../transports/socket/serve-socket.js');
      parts.telling.begin();
      return serveSocket({ address, admit, common: parts.common });
    },
    async serveHttp(at = {}) {
      const host = at.host ?? parts.config.http.host;
      const { auth } = parts.config.http;
      if (auth === 'none' && !isLoopbackHost(host)) {
        throw new Error(`http.auth: none is only allowed on a loopback address, not on ${host}`);
      }
      const { serveHttp } = await import('../transports/http/index.js');
      const isShared = (at.beside ?? []).length > 0;
      const first = await httpWorkspace(parts, token(), isShared);
      const others = await Promise.all((at.beside ?? []).map((source) => source.httpWorkspace()));
      const server = await serveHttp({
        workspaces: [first, ...others.filter(isHttpWorkspace)],
        host,
        port: at.port ?? parts.config.http.port,
        now: () => performance.now(),
        warn: parts.warn,
      });
      return announced(server, parts, auth, token());
    },
    httpWorkspace: () => httpWorkspace(parts, token(), true),
  };
}

function isHttpWorkspace(value: object): value is HttpWorkspace {
  return 'gateway' in value && 'identify' in value && 'adminApi' in value;
}

async function httpWorkspace(
  parts: ServingParts,
  token: ReturnType<typeof openBearerToken>,
  isShared: boolean,
): Promise<HttpWorkspace> {
  const { createHttpAccess } = await import('./http-access.js');
  const { opened, config, gateway, common, operator, exposure, stateDirectory } = parts;
  return {
    folder: parts.folder,
    gateway,
    common,
    ...createHttpAccess({
      opened,
      gateway,
      exposure,
      live: { stateDirectory, file: config.file },
      operator,
      zone: config.access.zone,
      isOperator: (authorization) => token.matches(authorization),
      isShared,
    }),
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

/** Another process may hold the pipe of a killed client, so the parent process is watched too. */
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
