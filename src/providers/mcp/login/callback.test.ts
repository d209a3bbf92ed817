import { connect } from 'node:net';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { type Callback, openCallback } from './callback.js';

let callback: Callback | undefined;
afterEach(() => callback?.close());

/** A request as a stranger would write it, byte by byte. */
async function asked(redirect: string, target: string, host = new URL(redirect).host): Promise<string> {
  const socket = connect(Number(new URL(redirect).port), '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(socket, 'close');
  return text.split('\r\n')[0] ?? '';
}

it.each(['//[', '//', 'http://[', '*', '/callback/..', '/%'])(
  'is not ended by a request for %s, and still accepts the answer',
  async (target) => {
    const { redirect, state, cameBack } = (callback = await openCallback({}));
    expect(await asked(redirect, target)).toMatch(/^HTTP\/1\.1 40[04]/);
    expect(await asked(redirect, target, 'evil.example')).toMatch(/^HTTP\/1\.1 40[04]/);
    void cameBack.then(({ end }) => end());
    expect(await asked(redirect, `/callback?code=c&state=${state}`)).toBe('HTTP/1.1 200 OK');
    expect(await cameBack).toMatchObject({ code: 'c' });
  },
);

it('accepts no answer under another host name, even with the right state', async () => {
  const { redirect, state, cameBack } = (callback = await openCallback({}));
  const target = `/callback?code=c&state=${state}`;
  for (const host of ['evil.example', 'localhost', `evil.example:${new URL(redirect).port}`])
    expect(await asked(redirect, target, host)).toBe('HTTP/1.1 404 Not Found');
  void cameBack.then(({ end }) => end());
  expect(await asked(redirect, target)).toBe('HTTP/1.1 200 OK');
});
