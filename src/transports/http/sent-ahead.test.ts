import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createSentAhead } from './sent-ahead.js';

const limit = 3;
const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('pipelined requests on one connection', () => {
  it('close the connection when more than the limit are unanswered', async () => {
    const { socket, admitted } = await open(false);
    socket.write(get.repeat(limit + 1));
    await once(socket, 'close');
    expect(admitted()).toBe(limit);
  });

  it('count only while they are unanswered', async () => {
    const { socket, admitted } = await open(true);
    for (let sent = 0; sent < 3 * limit; sent += 1) {
      socket.write(get);
      await once(socket, 'data');
    }
    expect(admitted()).toBe(3 * limit);
  });
});

async function open(answers: boolean): Promise<{ readonly socket: Socket; readonly admitted: () => number }> {
  const ahead = createSentAhead(limit);
  let admitted = 0;
  server = createServer((request, response) => {
    if (!ahead.admit(request, response)) return;
    admitted += 1;
    if (answers) response.end('ok');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  return { socket, admitted: () => admitted };
}
