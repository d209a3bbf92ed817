import { describe, expect, it } from 'vitest';
import { createFakeClock, scriptServer, settle } from '../../../test/support/scripted-upstream.js';
import type { Frame } from '../../lib/json-rpc.js';
import { openStdioTransport } from './stdio-transport.js';

async function open() {
  const server = scriptServer(() => undefined);
  const frames: Frame[] = [];
  const ends: string[] = [];
  const logged: unknown[] = [];
  const transport = await openStdioTransport({
    processes: server.processes,
    order: { owner: 's', command: 'server', args: [], cwd: '/', env: {} },
    events: {
      frame: (frame) => void frames.push(frame),
      failed: () => undefined,
      closed: (detail) => void ends.push(detail),
    },
    clock: createFakeClock(),
    log: (_level, _message, fields) => void logged.push(fields?.['line']),
    redact: (line) => line.replace(/secret-\d+/, '[redacted]'),
  });
  return { transport, child: server.child, frames, ends, logged };
}

const request = (id: number, size = 0): string => `{"id":${id},"pad":"${'x'.repeat(size)}"}`;

describe('the connection to a child process', () => {
  it('sends all messages of one tick in one write', async () => {
    const { transport, child } = await open();
    for (let id = 1; id <= 3; id += 1) expect(transport.send(request(id), id)).toBe(true);
    expect(child.writes).toEqual([]);
    await settle();
    expect(child.writes).toHaveLength(1);
    expect(child.received.map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('never lets a line break split a message', async () => {
    const { transport, child } = await open();
    transport.send('{"id":1,\r\n "text":"a\\nb"\n}', 1);
    await settle();
    expect(child.writes).toEqual(['{"id":1,   "text":"a\\nb" }\n']);
  });

  it('waits while the pipe is full, refuses too much, and continues when it drains', async () => {
    const { transport, child } = await open();
    child.isFull = true;
    transport.send(request(1), 1);
    await settle();
    transport.send(request(2), 2);
    await settle();
    expect(child.received.map(({ id }) => id)).toEqual([1]);
    const megabyte = 1024 * 1024;
    let taken = 0;
    while (transport.send(request(3, megabyte), 3)) taken += 1;
    expect(taken).toBe(63);
    child.isFull = false;
    child.drain();
    expect(child.received).toHaveLength(65);
    expect(transport.send(request(4), 4)).toBe(true);
  });

  it('sends a cancellation before waiting messages, and drops messages that were not sent yet', async () => {
    const { transport, child } = await open();
    child.isFull = true;
    transport.send(request(1), 1);
    await settle();
    for (const id of [2, 3]) transport.send(request(id), id);
    transport.cancel(1, 'why');
    transport.cancel(3, 'why');
    child.drain();
    expect(child.received.map(({ id, params }) => id ?? params)).toEqual([
      1,
      { requestId: 1, reason: 'why' },
      2,
    ]);
  });

  it('reads lines however they are split, and reports why the child exited', async () => {
    const { child, frames, ends } = await open();
    const text = '{"jsonrpc":"2.0","method":"é😀"}\r\n\n{"jsonrpc":"2.0","method":"b"}';
    for (const byte of Buffer.from(text)) child.sayBytes(Uint8Array.of(byte));
    child.complain('first\nlast words\n');
    child.exit({ code: null, signal: 'SIGKILL' });
    child.exit();
    expect(frames).toMatchObject([{ method: 'é😀' }, { method: 'b' }]);
    expect(ends).toEqual(['was killed by SIGKILL: first / last words']);
    expect(child.isClosed).toBe(true);
  });

  it('never repeats a secret from the output of the child, even if it is cut', async () => {
    const { child, ends, logged } = await open();
    child.complain(`with secret-1\n${'x'.repeat(295)} secret-1234567890\n`);
    child.exit({ code: 1, signal: null });
    expect(logged[0]).toBe('with [redacted]');
    expect(ends.join()).toContain('exited with code 1: with [redacted] / xxx');
    expect(ends.join()).not.toContain('sec');
  });

  it('reports nothing after it was closed', async () => {
    const { transport, child, frames, ends } = await open();
    await transport.close();
    child.sayRaw('{"jsonrpc":"2.0","method":"late"}\n');
    child.exit();
    expect([frames, ends]).toEqual([[], []]);
    expect(transport.send(request(1), 1)).toBe(false);
  });
});
