import type { IncomingMessage } from 'node:http';
import { RequestError } from './request-error.js';

export interface Posted {
  readonly status: number;
  readonly type: string;
  readonly retryAfter: string | undefined;
  /** Response body. Throws a RequestError if the connection breaks or is idle for too long. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Stops reading. */
  leave(): void;
}

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Maximum idle time. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
}

/** Sends a request. Redirects are not followed, because the API key is for this address only. */
export async function post(order: Post): Promise<Posted> {
  const { request } =
    order.url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(
      order.url,
      {
        method: 'POST',
        headers: { ...order.headers, 'content-length': String(Buffer.byteLength(order.body)) },
        signal: order.signal,
        timeout: order.idleMs,
      },
      resolve,
    );
    sent.once('timeout', () => sent.destroy(new Error(`no data for ${String(order.idleMs / 1000)} s`)));
    sent.once('error', (error) => reject(unreachable(order, error)));
    sent.end(order.body);
  });
  const { headers, statusCode = 0 } = response;
  return {
    status: statusCode,
    type: headers['content-type'] ?? '',
    retryAfter: headers['retry-after'],
    body: bodyOf(response, order),
    leave: () => response.destroy(),
  };
}

async function* bodyOf(response: IncomingMessage, order: Post): AsyncIterable<Uint8Array> {
  try {
    for await (const part of response) yield part as Uint8Array;
  } catch (error) {
    throw unreachable(order, error);
  }
}

function unreachable({ signal, url }: Post, error: unknown): Error {
  if (signal.aborted) return new RequestError('EXECUTION.WORKFLOW.CANCELLED', 'The agent was stopped.');
  const reason = error instanceof Error ? error.message || error.name : String(error);
  const message = `Cannot reach the model at ${url.origin}: ${reason}.`;
  return new RequestError('EXECUTION.AGENT.UNAVAILABLE', message, { isRetryable: true });
}
