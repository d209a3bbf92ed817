import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Sends one request over a connection of its own and reads the whole answer. Headers go out as they are given. */
export function send(port: number, sent: Sent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', path = '/', headers = {}, body } = sent;
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, agent: false, headers: { ...headers } },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString('utf8'),
          }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Opens a response that stays open, and gives its bytes as they come. */
export function listen(
  port: number,
  sent: Sent,
): Promise<{ readonly status: number; text(): string; readonly ended: Promise<void>; leave(): void }> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', path = '/', headers = {}, body } = sent;
    const request = httpRequest(
      { host: '127.0.0.1', port, method, path, agent: false, headers: { ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          text += part;
        });
        const ended = new Promise<void>((over) => response.once('close', over));
        response.on('error', () => {});
        resolve({
          status: response.statusCode ?? 0,
          text: () => text,
          ended,
          leave: () => request.destroy(),
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Sends a request and waits for nothing. */
export function visit(port: number, sent: Sent): { leave(): void } {
  const { method = 'GET', path = '/', headers = {}, body } = sent;
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: { ...headers },
  });
  request.on('error', () => {});
  request.end(body);
  return { leave: () => request.destroy() };
}

/** A plain server around one handler, for parts that need a real response. */
export async function openLoopback(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
