import type { IncomingMessage } from 'node:http';
import type { HttpClient, HttpHandlers, HttpOrder } from './http-client.js';
import { type Challenge, readChallenge } from './login/challenge.js';
import type { UpstreamLogin } from './login/upstream-login.js';

/** Another token is tried so often before a request is given up. */
const maxTries = 2;

/** Sends every request with the token of this server, and with a new one where the server wants that. */
export function withLogin(client: HttpClient, login: UpstreamLogin): HttpClient {
  function start(order: HttpOrder, handlers: HttpHandlers, left: number): () => void {
    let drop = (): void => undefined;
    let isDropped = false;

    function go(): void {
      if (isDropped) return;
      const used = login.header();
      const headers = used === undefined ? order.headers : { ...order.headers, authorization: used };
      drop = client.send(
        { ...order, headers },
        {
          response(response) {
            const refusal = refusalOf(response);
            if (refusal === undefined) return handlers.response(response);
            response.resume();
            // What only listens is opened again later; the next request will see to the token.
            if (order.method !== 'POST') return handlers.error(`HTTP ${String(refusal.status)}`, false);
            void login.refused({ ...refusal, used }).then(decide);
          },
          error: (detail, wasReached) => handlers.error(detail, wasReached),
        },
      );
    }

    function decide(after: Awaited<ReturnType<UpstreamLogin['refused']>>): void {
      if (isDropped) return;
      if (after === 'again' && left > 0) drop = start(order, handlers, left - 1);
      else if (typeof after === 'object') handlers.error(after.detail, false);
      else if (handlers.login === undefined) handlers.error('it wants a login', false);
      else handlers.login();
    }

    const fresh = login.whenFresh();
    if (fresh === undefined) go();
    else void fresh.then(go);
    return () => {
      isDropped = true;
      drop();
    };
  }

  return {
    send: (order, handlers) => start(order, handlers, maxTries),
    close: () => client.close(),
  };
}

/** 401 is always about the login; 403 only where it says so. Neither was carried out. */
function refusalOf({
  statusCode,
  headers,
}: IncomingMessage): { readonly status: 401 | 403; readonly challenge: Challenge } | undefined {
  if (statusCode !== 401 && statusCode !== 403) return undefined;
  const challenge = readChallenge(headers['www-authenticate']);
  if (statusCode === 403 && challenge.error !== 'insufficient_scope') return undefined;
  return { status: statusCode, challenge };
}
