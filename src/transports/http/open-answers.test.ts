import { describe, expect, it, vi } from 'vitest';
import { openLoopback, send } from '../../../test/support/loopback.js';
import { createHttpLine } from './http-line.js';
import { createOpenAnswers } from './open-answers.js';

describe('open answers', () => {
  it('end at once when their credential becomes invalid, and only those', async () => {
    const answers = createOpenAnswers();
    const cancelled: string[] = [];
    const arrived: string[] = [];
    const server = await openLoopback((request, response) => {
      const owner = request.url?.slice(1) ?? '';
      const line = createHttpLine(response, {}, true, () => {});
      answers.add(response, { owner, line, cancel: () => cancelled.push(owner) });
      if (owner === 'streams') line.send('"first"');
      arrived.push(owner);
    });
    const asked = ['waits', 'streams', 'good'].map((path) => send(server.port, { path: `/${path}` }));
    await vi.waitFor(() => expect(arrived).toHaveLength(3));
    answers.endVoid((credential) => credential === 'good');
    // At once, without waiting for the client to read everything: that may never happen.
    expect(cancelled.sort()).toEqual(['streams', 'waits']);
    answers.endVoid(() => false);
    expect(cancelled.sort()).toEqual(['good', 'streams', 'waits']);
    const [waits, streams, good] = await Promise.all(asked);
    expect([waits?.status, streams?.status, good?.status]).toEqual([401, 200, 401]);
    expect(streams?.body).toContain('"first"');
    await server.close();
  });
});
