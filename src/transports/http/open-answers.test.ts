import { describe, expect, it, vi } from 'vitest';
import { openLoopback, send } from '../../../test/support/loopback.js';
import { createHttpLine } from './http-line.js';
import { createOpenAnswers } from './open-answers.js';

describe('the answers that are being given', () => {
  it('end at once for those whose credential is void, and for nobody else', async () => {
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
    // At once, and not only when the client has read it all: that may be never.
    expect(cancelled.sort()).toEqual(['streams', 'waits']);
    answers.endVoid(() => false);
    expect(cancelled.sort()).toEqual(['good', 'streams', 'waits']);
    const [waits, streams, good] = await Promise.all(asked);
    expect([waits?.status, streams?.status, good?.status]).toEqual([401, 200, 401]);
    expect(streams?.body).toContain('"first"');
    await server.close();
  });
});
