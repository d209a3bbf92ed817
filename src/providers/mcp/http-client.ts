import http from 'node:http';
import https from 'node:https';
import { messageOf } from '../../lib/error-message.js';
import { discard } from './discard.js';

export interface HttpOrder {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether it may be sent again if a kept-alive connection turns out to be closed. */
  readonly isRepeatable: boolean;
}

export interface HttpHandlers {
  response(response: http.IncomingMessage): void;
  /** Called at most once, and only if there is no response. */
  error(detail: string, wasReached: boolean): void;
  /** Called instead of `error` if the request was refused because a login is required. */
  login?(): void;
}

/** Sends requests to one endpoint, over kept-alive connections. */
export interface HttpClient {
  /** Starts a request; the returned function aborts it. */
  send(order: HttpOrder, handlers: HttpHandlers): () => void;
  close(): void;
}

const maxRedirects = 3;
/** For calls, which take turns; see `requestPlaces`. */
export const callSockets = 512;
/** The others are for messages of the gateway itself, which must not wait for an answer to a call. */
const maxSockets = callSockets + 128;
/** Shorter than common server timeouts, so that a connection is rarely closed during a request. */
const keptMs = 4000;

export function createHttpClient(endpoint: string): HttpClient {
  const url = new URL(endpoint);
  const library = url.protocol === 'https:' ? https : http;
  const agent = new library.Agent({ keepAlive: true, maxSockets, timeout: keptMs });

  function start(at: URL, order: HttpOrder, handlers: HttpHandlers, tries: Tries): () => void {
    let next: (() => void) | undefined;
    let isDropped = false;
    const again = (where: URL, left: Tries): void => {
      if (!isDropped) next = start(where, order, handlers, left);
    };
    const request = library.request(at, { method: order.method, headers: headersOf(order), agent });
    request.on('response', (response) => {
      const target = redirectOf(response, at);
      if (target === undefined || tries.redirects === 0) return handlers.response(response);
      discard(response);
      again(target, { ...tries, redirects: tries.redirects - 1 });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (isDropped) return;
      const isStale = request.reusedSocket && isReset(error) && order.isRepeatable;
      if (isStale && tries.repeats > 0) return again(at, { ...tries, repeats: tries.repeats - 1 });
      handlers.error(error.message, request.socket?.connecting === false && error.code !== 'ECONNREFUSED');
    });
    request.end(order.body);
    return () => {
      isDropped = true;
      next?.();
      request.destroy();
    };
  }

  return {
    send(order, handlers) {
      try {
        return start(url, order, handlers, { redirects: maxRedirects, repeats: 1 });
      } catch (error) {
        // An invalid header. Report it asynchronously like every other failure.
        const detail = messageOf(error);
        process.nextTick(() => handlers.error(detail, false));
        return () => undefined;
      }
    },
    close: () => agent.destroy(),
  };
}

interface Tries {
  readonly redirects: number;
  readonly repeats: number;
}

function headersOf({ headers, body }: HttpOrder): Record<string, string> {
  return body === undefined
    ? { ...headers }
    : { ...headers, 'content-length': String(Buffer.byteLength(body, 'utf8')) };
}

function isReset({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** The target of a redirect that keeps method and body. Other origins are not followed, so secrets stay with this one. */
function redirectOf({ statusCode, headers }: http.IncomingMessage, from: URL): URL | undefined {
  if ((statusCode !== 307 && statusCode !== 308) || headers.location === undefined) return undefined;
  if (!URL.canParse(headers.location, from.href)) return undefined;
  const target = new URL(headers.location, from);
  return target.origin === from.origin ? target : undefined;
}
