import { randomBytes, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { LoginFailure, told } from './settings.js';

/** The redirect from an authorization server. Only the state has been checked. */
export interface CameBack {
  readonly code: string | undefined;
  readonly iss: string | undefined;
  readonly error: string | undefined;
  /** Shows the result in the browser. */
  end(failure?: string): void;
}

/** The redirect target for the browser: an address on this machine that accepts one answer. */
export interface Callback {
  /** The exact `redirect_uri`. */
  readonly redirect: string;
  readonly state: string;
  /** Resolves with the first redirect that has the right state. */
  readonly cameBack: Promise<CameBack>;
  /** Accepts the browser's address as pasted text, if the browser runs on another machine. */
  paste(text: string): void;
  close(): void;
}

const path = '/callback';
const longestTarget = 16_384;

/** Listens on 127.0.0.1 only. `wish` is a preferred port; `must` is a required one. */
export async function openCallback(ports: {
  readonly options?: number;
  readonly must?: number;
}): Promise<Callback> {
  const state = randomBytes(32).toString('base64url');
  let isUsed = false;
  let resolve: (back: CameBack) => void = () => undefined;
  const cameBack = new Promise<CameBack>((settle) => {
    resolve = settle;
  });

  /** Accepts one redirect with the right state, so that others can neither end the login nor answer it. */
  function take(query: URLSearchParams, end: CameBack['end']): 'taken' | 'used' | 'foreign' {
    if (!isSame(query.get('state') ?? '', state)) return 'foreign';
    if (isUsed) return 'used';
    isUsed = true;
    const read = (name: string): string | undefined => query.get(name) ?? undefined;
    resolve({ code: read('code'), iss: read('iss'), error: read('error'), end });
    return 'taken';
  }

  const server = http.createServer(
    { maxHeaderSize: longestTarget, requestTimeout: 10_000 },
    (request, response) => {
      const port = portOf(server);
      const isOurs = request.headers.host === `127.0.0.1:${String(port)}` && request.method === 'GET';
      const url = isOurs ? targetOf(request.url, `http://127.0.0.1:${String(port)}`) : undefined;
      if (url?.pathname !== path) return answer(response, 404, 'Not found.');
      const taken = take(url.searchParams, (failure) =>
        failure === undefined
          ? answer(response, 200, 'You are logged in. You can close this window.')
          : answer(response, 400, `The login failed: ${failure}`),
      );
      if (taken !== 'taken')
        answer(response, 400, 'This link has expired or belongs to another login. Start the login again.');
    },
  );
  await listen(server, ports);
  const redirect = `http://127.0.0.1:${String(portOf(server))}${path}`;
  return {
    redirect,
    state,
    cameBack,
    paste(text) {
      const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
      if (url === undefined || `${url.origin}${url.pathname}` !== redirect)
        throw new LoginFailure('callback', `This is not the right address. It must start with ${redirect}`);
      if (take(url.searchParams, () => undefined) !== 'taken')
        throw new LoginFailure('callback', 'This address belongs to another login, or was already used.');
    },
    close() {
      server.close();
      // The browser may still be receiving the last page.
      setTimeout(() => server.closeAllConnections(), 1000).unref();
    },
  };
}

/** Any local program can send requests, so an invalid URL is ignored. */
function targetOf(target: string | undefined, base: string): URL | undefined {
  return target !== undefined && URL.canParse(target, base) ? new URL(target, base) : undefined;
}

async function listen(
  server: http.Server,
  { options, must }: { readonly options?: number; readonly must?: number },
): Promise<void> {
  // Waiting for a browser must not keep the gateway alive.
  server.unref();
  if (must !== undefined && must !== 0) {
    if (!(await tryListen(server, must)))
      throw new LoginFailure(
        'callback',
        `Port ${String(must)} (login.port) is in use by another program.`,
        'Stop that program or change login.port, then log in again.',
      );
    return;
  }
  if (options !== undefined && (await tryListen(server, options))) return;
  if (!(await tryListen(server, 0)))
    throw new LoginFailure('callback', 'No port on 127.0.0.1 could be opened.');
}

function tryListen(server: http.Server, port: number): Promise<boolean> {
  return new Promise((settle) => {
    const refused = (): void => settle(false);
    server.once('error', refused);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.off('error', refused);
      settle(true);
    });
  });
}

function portOf(server: http.Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0;
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function answer(response: http.ServerResponse, status: number, text: string): void {
  const shown = told(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(`<!doctype html><title>Tidegate</title><p>${shown}</p>`);
}
