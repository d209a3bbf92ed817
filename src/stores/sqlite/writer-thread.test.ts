import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome, OrderMessage } from './orders.js';
import { createWriterThread } from './writer-thread.js';

class FakeWorker extends EventEmitter {
  readonly received: (OrderMessage | null)[] = [];
  isHeld = true;
  postMessage(message: OrderMessage | null): void {
    this.received.push(message);
    if (message === null) setImmediate(() => this.emit('exit', 0));
  }
  ref(): void {
    this.isHeld = true;
  }
  unref(): void {
    this.isHeld = false;
  }
  terminate(): Promise<number> {
    return Promise.resolve(0);
  }
  answer(outcome: Outcome): void {
    const answers = this.received.flatMap((message) =>
      message === null ? [] : [{ id: message.id, outcome }],
    );
    this.received.length = 0;
    this.emit('message', answers);
  }
}

const started: FakeWorker[] = [];
vi.mock('./start-writer.js', () => ({
  startWriter: () => {
    const worker = new FakeWorker();
    started.push(worker);
    return worker;
  },
}));

const parts = { file: '/nowhere/access.db', identity: { dev: 1, ino: 1 }, program: 'test' };
const touch = { kind: 'touchTokens', uses: [] } as const;
const done: Outcome = { ok: true, kind: 'touchTokens', value: undefined };

beforeEach(() => {
  started.length = 0;
});

async function worker(place: number): Promise<FakeWorker> {
  return vi.waitFor(() => {
    const found = started[place];
    if (found === undefined || found.received.length === 0) throw new Error('not yet');
    return found;
  });
}

describe('the writer thread', () => {
  it('starts with the first order, and keeps the process alive only while a caller waits', async () => {
    const thread = createWriterThread(parts);
    expect(started).toHaveLength(0);
    const sent = thread.send(touch);
    const writer = await worker(0);
    expect(writer.isHeld).toBe(true);
    writer.answer(done);
    await sent;
    expect(writer.isHeld).toBe(false);
    await thread.close();
    expect(started).toHaveLength(1);
  });

  it('rejects all callers when it dies, and is restarted for the next order', async () => {
    const thread = createWriterThread(parts);
    const lost = [thread.send(touch), thread.send(touch)];
    const writer = await worker(0);
    writer.emit('error', new Error('out of memory'));
    for (const one of lost)
      await expect(one).rejects.toMatchObject({
        code: 'store.unavailable',
        message: expect.stringContaining('out of memory'),
      });
    const next = thread.send(touch);
    (await worker(1)).answer(done);
    await next;
    // The exit of the first thread must not end the second.
    const another = thread.send(touch);
    await worker(1);
    writer.emit('exit', 1);
    (await worker(1)).answer(done);
    await another;
  });

  it('passes on the code of a refusal, and limits the number of waiting orders', async () => {
    const thread = createWriterThread(parts);
    const refused = thread.send(touch);
    (await worker(0)).answer({ ok: false, code: 'store.conflict', message: 'no' });
    await expect(refused).rejects.toMatchObject({ name: 'StoreError', code: 'store.conflict' });
    const many = Array.from({ length: 10_000 }, () => thread.send(touch));
    await expect(thread.send(touch)).rejects.toMatchObject({ code: 'store.unavailable' });
    await vi.waitFor(() => expect(started[0]?.received).toHaveLength(10_000));
    started[0]?.answer(done);
    await Promise.all(many);
    await thread.close();
    await expect(thread.send(touch)).rejects.toMatchObject({ code: 'store.closed' });
  });
});
