import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Message } from './scripted-upstream.js';

/** One request that an endpoint received. */
export interface Hit {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly message: Message;
  readonly body: string;
  readonly response: http.ServerResponse;
  /** Resolves when the other side has closed the request. */
  readonly gone: Promise<void>;
  json(value: unknown, status?: number, headers?: http.OutgoingHttpHeaders): void;
  result(result: unknown, headers?: http.OutgoingHttpHeaders): void;
  /** Opens a stream of events. */
  stream(): { send(text: string): void; event(message: unknown, id?: string): void; end(): void };
}

export interface ScriptedEndpoint {
  readonly url: string;
  readonly hits: Hit[];
  close(): Promise<void>;
}

/** A loopback endpoint that follows a script. */
export async function openEndpoint(script: (hit: Hit) => void, at = 0): Promise<ScriptedEndpoint> {
  const hits: Hit[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const hit = createHit(request, response, Buffer.concat(chunks).toString('utf8'));
      hits.push(hit);
      script(hit);
    });
  });
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    hits,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function createHit(request: http.IncomingMessage, response: http.ServerResponse, body: string): Hit {
  const message = (body === '' ? {} : JSON.parse(body)) as Message;
  const json: Hit['json'] = (value, status = 200, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    message,
    body,
    response,
    gone: new Promise((resolve) => response.on('close', resolve)),
    json,
    result: (result, headers) => json({ jsonrpc: '2.0', id: message.id, result }, 200, headers),
    stream() {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      return {
        send: (text) => void response.write(text),
        event: (value, id) =>
          void response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(value)}\n\n`),
        end: () => void response.end(),
      };
    },
  };
}
