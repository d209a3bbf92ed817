import type { IncomingMessage } from 'node:http';
import { discard } from './discard.js';
import type { HttpClient, HttpHandlers, HttpOrder } from './http-client.js';
import { type Challenge, readChallenge } from './login/challenge.js';
import type { UpstreamLogin } from './login/upstream-login.js';

/** How often to retry a request with another token. */
const maxTries = 2;

/** Adds the token of this server to every request, and retries with a new token if the server refuses it. */
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
            discard(response);
            // A listening stream is reopened later; the next request renews the token.
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
      else if (handlers.login === undefined) handlers.error('it requires a login', false);
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

/** 401 is always about the login; 403 only if its challenge says so. In both cases the request was not executed. */
function refusalOf({
  statusCode,
  headers,
  socket,
}: IncomingMessage): { readonly status: 401 | 403; readonly challenge: Challenge } | undefined {
  if (statusCode !== 401 && statusCode !== 403) return undefined;
  const challenge = readChallenge(headers['www-authenticate']);
  if (statusCode === 403 && challenge.error !== 'insufficient_scope') return undefined;
  return { status: statusCode, challenge: { ...challenge, answeredFrom: socket.remoteAddress ?? 'unknown' } };
}
