import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { openPlace, type Place } from '../support/gate.js';
import { type Ran, runGate } from '../support/run-program.js';

/**
 * Names and what a resolver answers, one entry per question; the last one repeats. The public address is of a range
 * for documentation and comes second, so that no test ever sends a packet to it.
 */
const names = {
  'mixed.test': [['127.0.0.1', '203.0.113.7']],
  'inner.test': [['127.0.0.1', '127.0.0.2']],
  'turning.test': [['127.0.0.1'], ['127.0.0.2']],
} as const;

/** Loaded into the program before it starts: this is the test's resolver, in the place of the system's. */
const resolver = `
const dns = require('node:dns');
const names = ${JSON.stringify(names)};
const asked = new Map();
const find = (name) => {
  const answers = names[name];
  if (answers === undefined) return undefined;
  const turn = asked.get(name) ?? 0;
  asked.set(name, turn + 1);
  return answers[Math.min(turn, answers.length - 1)].map((address) => ({ address, family: 4 }));
};
const real = dns.lookup;
dns.lookup = (name, options, callback) => {
  const found = find(name);
  if (found === undefined) return real(name, options, callback);
  if (options.all === true) process.nextTick(callback, null, found);
  else process.nextTick(callback, null, found[0].address, 4);
};
const realLater = dns.promises.lookup;
dns.promises.lookup = async (name, options) => find(name) ?? realLater(name, options);
require('node:module').syncBuiltinESMExports();
`;

let place: Place;
let port = 0;
const listeners: Server[] = [];
/** The address that each connection came in on. */
const reached: string[] = [];

beforeAll(async () => {
  port = await freePort();
  for (const host of ['127.0.0.1', '127.0.0.2']) {
    const server = createServer((socket) => {
      reached.push(host);
      socket.on('error', () => {});
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    listeners.push(server);
  }
  const entry = (name: string) => ({ url: `https://${name}:${String(port)}/mcp` });
  const servers = {
    mixed: entry('mixed.test'),
    inner: entry('inner.test'),
    turning: entry('turning.test'),
  };
  place = openPlace({ servers });
  writeFileSync(join(place.directory, 'resolver.cjs'), resolver);
});
afterAll(() => {
  for (const server of listeners) server.close();
  place.close();
});
beforeEach(() => {
  reached.length = 0;
});

function login(server: string): Promise<Ran> {
  const node = ['--require', join(place.directory, 'resolver.cjs')];
  return runGate(place, ['login', server, '--no-browser'], { node });
}

describe('[15.49] a login to a server', () => {
  it('connects to no private address if its name also has a public one', async () => {
    const { status, stderr } = await login('mixed');
    expect(status).not.toBe(0);
    expect(stderr).toContain('private network');
    expect(reached).toEqual([]);
  });

  it('connects to the address that was checked, whatever the name resolves to afterwards', async () => {
    await login('turning');
    expect(new Set(reached)).toEqual(new Set(['127.0.0.1']));
  });

  it('control: connects to a name that has only addresses of this machine', async () => {
    const { stderr } = await login('inner');
    expect(stderr).not.toContain('private network');
    expect(reached).toContain('127.0.0.1');
  });
});
