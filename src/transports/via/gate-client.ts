import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { createSseReader } from '../../lib/event-stream.js';
import { messageOf } from '../../lib/error-message.js';
import { decodeUtf8 } from '../../lib/lines.js';
import { maxMessageBytes, workspaceHeader } from '../identity.js';

/** One HTTP exchange with the gateway. */
export interface Order {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Called with each message of a streamed response. */
  readonly onMessage?: (text: string) => void;
  /** Called when the whole request is sent. */
  readonly onSent?: () => void;
  /** Called when the response begins: status and headers are known. */
  readonly onAnswer?: (reply: Reply) => void;
}

export interface Reply {
  readonly status: number;
  readonly sessionId: string | undefined;
  /** The body of a response that was not streamed. */
  readonly body: string;
}

export type Ending =
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** No connection: the request never arrived. */
  | { readonly kind: 'unreached'; readonly reason: string }
  /** The connection broke after the request was sent. */
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'aborted' };

export interface GateClient {
  send(order: Order): Promise<Ending>;
  /** Stop reading responses while our own reader is slow. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** The gateway sends keep-alives more often than this. */
const silenceMs = 120_000;

export interface GateClientParts {
  readonly url: URL;
  readonly token: string | undefined;
  readonly workspace?: string;
}

export async function openGateClient({ url, token, workspace }: GateClientParts): Promise<GateClient> {
  const isSecure = url.protocol === 'https:';
  const https = isSecure ? await import('node:https') : undefined;
  const agent = https ? new https.Agent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const open = https ? https.request : httpRequest;
  const reading = new Set<IncomingMessage>();
  let isPaused = false;
  const common = {
    accept: 'application/json, text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(workspace !== undefined && { [workspaceHeader]: encodeURIComponent(workspace) }),
  };

  function follow(response: IncomingMessage): void {
    reading.add(response);
    response.once('close', () => reading.delete(response));
    if (isPaused) response.pause();
  }

  return {
    send(order) {
      if (order.signal.aborted) return Promise.resolve({ kind: 'aborted' });
      return new Promise((resolve) => {
        const body = order.body === undefined ? undefined : Buffer.from(order.body);
        const request = open(url, {
          method: order.method,
          agent,
          headers: { ...common, ...contentHeaders(body), ...order.headers },
        });
        const end = watch(request, order, resolve);
        request.on('response', (response) => {
          follow(response);
          read(response, order).then(end, (error: unknown) => {
            end({ kind: 'lost', reason: messageOf(error) });
          });
        });
        request.end(body);
      });
    },
    pause() {
      isPaused = true;
      for (const response of reading) response.pause();
    },
    resume() {
      if (!isPaused) return;
      isPaused = false;
      for (const response of reading) response.resume();
    },
    close: () => agent.destroy(),
  };
}

function contentHeaders(body: Buffer | undefined): Readonly<Record<string, string>> {
  if (body === undefined) return {};
  return { 'content-type': 'application/json', 'content-length': String(body.length) };
}

/**
 * Ends the exchange once, on whatever comes first: the response, a broken connection, silence, or an abort.
 */
function watch(
  request: ClientRequest,
  order: Order,
  resolve: (ending: Ending) => void,
): (ending: Ending) => void {
  let hasLeft = false;
  const end = (ending: Ending): void => {
    order.signal.removeEventListener('abort', abort);
    resolve(order.signal.aborted ? { kind: 'aborted' } : ending);
  };
  const abort = (): void => {
    request.destroy();
    end({ kind: 'aborted' });
  };
  order.signal.addEventListener('abort', abort, { once: true });
  request.on('finish', () => {
    hasLeft = true;
    order.onSent?.();
  });
  request.on('error', (error) => {
    const isUnreached =
      !hasLeft || /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH/.test(codeOf(error));
    end({ kind: isUnreached ? 'unreached' : 'lost', reason: error.message });
  });
  request.setTimeout(silenceMs, () => request.destroy(new Error('the gateway was silent for too long')));
  return end;
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

function read(response: IncomingMessage, order: Order): Promise<Ending> {
  const session = response.headers['mcp-session-id'];
  const reply: Reply = {
    status: response.statusCode ?? 0,
    sessionId: typeof session === 'string' ? session : undefined,
    body: '',
  };
  order.onAnswer?.(reply);
  const isStream = /^text\/event-stream/i.test(response.headers['content-type'] ?? '');
  return isStream ? readStream(response, reply, order) : readWhole(response, reply);
}

async function readStream(response: IncomingMessage, reply: Reply, order: Order): Promise<Ending> {
  const events = createSseReader(maxMessageBytes);
  await eachChunk(response, (chunk) => {
    for (const { data } of events.push(chunk)) order.onMessage?.(data);
  });
  return { kind: 'reply', reply };
}

async function readWhole(response: IncomingMessage, reply: Reply): Promise<Ending> {
  const parts: Buffer[] = [];
  let bytes = 0;
  await eachChunk(response, (chunk) => {
    bytes += chunk.length;
    if (bytes > 2 * maxMessageBytes) throw new Error('a response from the gateway is too long');
    parts.push(chunk);
  });
  const body = decodeUtf8(Buffer.concat(parts));
  if (body === undefined) throw new Error('a response from the gateway is not UTF-8');
  return { kind: 'reply', reply: { ...reply, body } };
}

/** With events instead of iteration, because only then `pause` holds back data. */
function eachChunk(response: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    response.on('data', (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        response.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    response.once('end', resolve);
    response.once('error', reject);
    response.once('close', () => reject(new Error('the connection was closed')));
  });
}
