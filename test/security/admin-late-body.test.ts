import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { makeToken, openAccessPlace, runOk } from '../support/access-place.js';
import { openHttpGate } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';

/** Sends the headers and one byte of the body, does something, then sends the rest. Gives the status line. */
async function sendLate(
  base: string,
  { secret, path, body }: { readonly secret: string; readonly path: string; readonly body: string },
  between: () => Promise<unknown>,
): Promise<string> {
  const { hostname, port, host } = new URL(base);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${secret}`];
  const length = `Content-Length: ${String(body.length)}`;
  socket.write([...head, 'Content-Type: application/json', length, '', body.slice(0, 1)].join('\r\n'));
  await between();
  socket.write(body.slice(1));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return answer.toString().split('\r\n')[0] ?? '';
}

it('[15.42] [15.50] authorizes an admin after the body has arrived; concurrent changes do not conflict', async () => {
  const place = openAccessPlace({ builtins: ['*'] });
  await runOk(place, 'grant', 'user:eve', '--admin');
  const gate = await openHttpGate(place);
  const grant = { path: '/api/grants', body: '{"principal":"user:mallory","admin":true}' };
  const made = { path: '/api/tokens', body: '{"principal":"user:mallory"}' };

  // Control: while the right lasts, the same late body is taken.
  const eve = await makeToken(place, '--as', 'user:eve');
  const nothing = (): Promise<void> => Promise.resolve();
  const harmless = { path: '/api/grants', body: '{"principal":"user:bob","what":"Read"}' };
  expect(await sendLate(gate.base, { secret: eve.secret, ...harmless }, nothing)).toContain('200');

  for (const order of [grant, made]) {
    const token = await makeToken(place, '--as', 'user:eve');
    const revoked = await sendLate(gate.base, { secret: token.secret, ...order }, () =>
      runOk(place, 'token', 'revoke', token.id),
    );
    expect(revoked).toMatch(/ 40[13] /);
  }
  for (const order of [grant, made]) {
    await runOk(place, 'grant', 'user:eve', '--admin');
    const lost = await sendLate(gate.base, { secret: eve.secret, ...order }, () =>
      runOk(place, 'revoke', 'user:eve', '--admin'),
    );
    expect(lost).toContain(' 403 ');
  }
  const headers = { authorization: `Bearer ${tokenOf(place)}` };
  const principal = await (await fetch(`${gate.base}/api/principals/user:mallory`, { headers })).text();
  expect(principal).not.toContain('"admin":true');

  // 200 changes at once: none is refused because others were quicker.
  const change = async (index: number): Promise<number> => {
    const method = index % 2 === 0 ? 'POST' : 'DELETE';
    const body = JSON.stringify({ principal: `agent:a${String(index >> 1)}`, what: 'Read' });
    return (await fetch(`${gate.base}/api/grants`, { method, headers, body })).status;
  };
  const statuses = await Promise.all(Array.from({ length: 200 }, (_, index) => change(index)));
  expect(statuses.filter((status) => status === 409)).toEqual([]);
  const endless = await fetch(`${gate.base}/api/grants`, {
    method: 'POST',
    headers,
    body: '{"principal":"agent:z","what":"Read","until":null}',
  });
  expect([endless.status, await endless.text()]).toEqual([400, expect.stringContaining('until')]);
  await gate.close();
  place.close();
}, 120_000);
