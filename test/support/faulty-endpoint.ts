import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** What an endpoint does instead of answering, or besides. */
export const httpFaults = [
  'reset',
  'status-500',
  'status-503',
  'cut-json',
  'cut-events',
  'cut-inside-event',
  'no-answer-events',
  'html',
  'wrong-type',
  'not-utf8',
  'foreign-id',
  'twice',
  'slow-headers',
  'endless-body',
  'endless-events',
  'redirect',
  'redirect-loop',
  'lost-session',
] as const;
export type HttpFault = (typeof httpFaults)[number];

/** A legacy HTTP server on loopback. The path says which fault, at which method, and how many times. */
export interface FaultyEndpoint {
  url(fault: HttpFault | 'none', method?: string, times?: number): string;
  /** Requests that went where only a redirect leads. */
  readonly strays: readonly string[];
  /** Responses that are still being sent. */
  open(): number;
  close(): Promise<void>;
}

interface Heard {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly mark?: string } };
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: string;
}

export async function openFaultyEndpoint(): Promise<FaultyEndpoint> {
  const strays: string[] = [];
  const foreign = createServer((request, response) => {
    strays.push(`${String(request.method)} ${String(request.url)}`);
    response.end('{}');
  });
  const foreignUrl = await listen(foreign);
  const left = new Map<string, number>();
  const live = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    live.add(response);
    response.on('close', () => live.delete(response));
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('error', () => undefined);
    request.on('end', () => serve(request, response, body));
  });
  const base = await listen(server);
  let cases = 0;

  function serve(request: IncomingMessage, response: ServerResponse, body: string): void {
    const [, fault = 'none', at = '', path = ''] = (request.url ?? '').split('/').map(decodeURIComponent);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body) as Heard;
    const remaining = left.get(path) ?? 0;
    if (message.method !== at || remaining === 0) return answerWell(message, response);
    left.set(path, remaining - 1);
    const answer = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...resultOf(message) });
    fail(fault as HttpFault, { request, response, answer }, foreignUrl);
  }

  return {
    url(fault, method = 'tools/call', times = Number.POSITIVE_INFINITY) {
      cases += 1;
      left.set(String(cases), times);
      return `${base}/${fault}/${encodeURIComponent(method)}/${String(cases)}`;
    },
    strays,
    open: () => live.size,
    async close() {
      for (const one of [server, foreign]) {
        one.closeAllConnections();
        await new Promise((resolve) => one.close(resolve));
      }
    },
  };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${String(address.port)}`;
}

function resultOf({ method, params }: Heard): object {
  const capabilities = { tools: {} };
  const serverInfo = { name: 'faulty', version: '1' };
  if (method === 'initialize') return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo } };
  if (method === 'tools/list')
    return { result: { tools: [{ name: 'do', inputSchema: { type: 'object' } }] } };
  if (method === 'tools/call')
    return { result: { content: [{ type: 'text', text: params?.arguments?.mark ?? '' }] } };
  return { error: { code: -32601, message: 'Method not found' } };
}

function answerWell(message: Heard, response: ServerResponse): void {
  if (message.id === undefined) return void response.writeHead(202).end();
  const session = message.method === 'initialize' ? { 'mcp-session-id': `s${String(Math.random())}` } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...session });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...resultOf(message) }));
}

const events = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };

function fail(fault: HttpFault, visit: Visit, foreignUrl: string): void {
  const { request, response, answer } = visit;
  const half = answer.slice(0, Math.floor(answer.length / 2));
  const acts: Readonly<Record<HttpFault, () => void>> = {
    reset: () => request.socket.resetAndDestroy(),
    'status-500': () => response.writeHead(500).end('oops'),
    'status-503': () => response.writeHead(503, { 'retry-after': '1' }).end(),
    'cut-json'() {
      response.writeHead(200, { ...json, 'content-length': String(answer.length) });
      response.write(half, () => request.socket.destroy());
    },
    'cut-events'() {
      response.writeHead(200, events);
      response.write(': here\n\n', () => request.socket.destroy());
    },
    'cut-inside-event'() {
      response.writeHead(200, events);
      response.end(`data: ${half}`);
    },
    'no-answer-events': () => response.writeHead(200, events).end(),
    html: () => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
    'wrong-type': () => response.writeHead(200, { 'content-type': 'image/png' }).end(half),
    'not-utf8': () => response.writeHead(200, json).end(Buffer.from(answer.replace('"', '\u00ff'), 'latin1')),
    'foreign-id': () => response.writeHead(200, json).end(answer.replace(/"id":\d+/, '"id":987654')),
    twice: () => response.writeHead(200, events).end(`data: ${answer}\n\ndata: ${answer}\n\n`),
    'slow-headers': () => undefined,
    'endless-body': () => pour(response, json, ' '.repeat(131_072), 1),
    'endless-events': () => pour(response, events, `data: {"jsonrpc":"2.0","id":987,"result":{}}\n\n`, 5),
    redirect: () => response.writeHead(307, { location: `${foreignUrl}/caught` }).end(),
    'redirect-loop': () => response.writeHead(307, { location: request.url ?? '' }).end(),
    'lost-session': () => response.writeHead(404, json).end('{}'),
  };
  acts[fault]();
}

/** Sends the same again and again, for as long as somebody is there. */
function pour(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  text: string,
  everyMs: number,
): void {
  response.writeHead(200, headers);
  const timer = setInterval(() => {
    if (!response.writableNeedDrain) response.write(text);
  }, everyMs);
  response.on('close', () => clearInterval(timer));
  response.on('error', () => undefined);
}
