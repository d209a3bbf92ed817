import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFakeExchange } from '../../src/testing/index.js';
import { openHttpGate, openPlace, type Place, spawnStdioGate, waitFor } from '../support/gate.js';
import { openHttpClient, openLegacySession } from '../support/http-client.js';
import { openLineClient, type Message } from '../support/line-client.js';
import { findMarked, hasProc } from '../support/proc.js';
import { openTestShell, type TestShell } from '../support/shell.js';

const limitMs = 10_000;
let lastTag = 0;

/** A tree that no signal to a group ends, which can be found by its tag. */
function backgroundCall(tag: string): object {
  const command = `setsid sleep ${tag} & sleep ${tag} & trap '' TERM; wait; sleep ${tag}`;
  return { name: 'Bash', arguments: { command, run_in_background: true } };
}

function createTag(): string {
  lastTag += 1;
  return `3600.${String(process.pid).padStart(8, '0')}${String(lastTag).padStart(4, '0')}`;
}

const runs = (tag: string): boolean => findMarked(tag).length > 2;
const isGone = (tag: string): boolean => findMarked(tag).length === 0;

describe.skipIf(!hasProc)('the background commands of a session', () => {
  let place: Place;
  beforeAll(() => {
    place = openPlace({ builtins: ['*'], http: { auth: 'none' } });
  });
  afterAll(() => place.close());

  it('end when the client ends it over HTTP; those of another session continue', async () => {
    const gate = await openHttpGate(place);
    onTestFinished(() => gate.close());
    const client = openHttpClient(gate.base);
    const tags = [createTag(), createTag()] as const;
    const sessions = [await openLegacySession(client), await openLegacySession(client)] as const;
    const call = async (index: 0 | 1, params: object): Promise<Message | undefined> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return (await client.send('/mcp', body, { headers: sessions[index] })).messages[0];
    };
    for (const index of [0, 1] as const) await call(index, backgroundCall(tags[index]));
    await waitFor(
      () => tags.every(runs),
      limitMs,
      () => 'the commands did not start',
    );

    const ended = await client.send('/mcp', '', { method: 'DELETE', headers: sessions[0] });
    expect(ended.status).toBeLessThan(300);
    await waitFor(
      () => isGone(tags[0]),
      limitMs,
      () => 'the commands of the session still run',
    );
    // The control: nobody ended this one, so its command does go on.
    expect(runs(tags[1])).toBe(true);

    await client.send('/mcp', '', { method: 'DELETE', headers: sessions[1] });
    await waitFor(
      () => isGone(tags[1]),
      limitMs,
      () => 'the commands of the other still run',
    );
    client.close();
  });

  it('end with the connection over stdio, and run as long as it lasts', async () => {
    const child = spawnStdioGate(place);
    const client = openLineClient(child);
    await client.initialize();
    const tag = createTag();
    await client.request('tools/call', backgroundCall(tag), 30_000);
    await waitFor(
      () => runs(tag),
      limitMs,
      () => 'the command did not start',
    );
    await client.request('tools/list', {}, 30_000);
    expect(runs(tag)).toBe(true);
    child.stdin.end();
    await client.ended;
    await waitFor(
      () => isGone(tag),
      limitMs,
      () => 'the command still runs',
    );
  });
});

describe.skipIf(!hasProc).each(['bubblewrap', 'none'] as const)(
  'a session that has ended, sandbox %s',
  (sandbox) => {
    let shell: TestShell;
    beforeEach(async () => {
      shell = await openTestShell({ sandbox });
    });
    afterEach(() => shell.close());
    const session = {
      id: 'one',
      scope: 'session',
      principal: { kind: 'user', id: 'u', zone: 'local' },
    } as const;

    const temporaries = () => {
      const [own = ''] = readdirSync(join(shell.stateDir, 'shell'));
      return readdirSync(join(shell.stateDir, 'shell', own)).filter((name) => name.startsWith('tmp-'));
    };

    it('has no commands, not even those that were about to start', async () => {
      const tag = createTag();
      const port = await shell.as('one');
      await port.start({ command: `sleep ${tag}` });
      const late = [1, 2, 3].map(() =>
        port.start({ command: `sleep ${tag}` }).catch((error: unknown) => error),
      );
      await shell.service.forget?.(session);
      await Promise.all(late);
      await waitFor(
        () => isGone(tag),
        limitMs,
        () => 'a command still runs',
      );
      await expect(port.start({ command: `sleep ${tag}` })).rejects.toMatchObject({
        facts: { reason: 'session_over' },
      });
      expect(isGone(tag)).toBe(true);
    });

    it('leaves nothing in its /tmp, and others keep theirs', async () => {
      const [one, two] = [await shell.as('one'), await shell.as('two')];
      const order = { command: 'echo x > "$TMPDIR/file"; echo $TMPDIR', timeoutMs: 20_000 };
      for (const port of [one, two]) await port.run(order, createFakeExchange());
      expect(temporaries()).toHaveLength(2);
      await shell.service.forget?.(session);
      const { stdout } = await two.run(
        { command: 'cat "$TMPDIR/file"', timeoutMs: 20_000 },
        createFakeExchange(),
      );
      expect(stdout).toBe('x\n');
      expect(temporaries()).toHaveLength(1);
    });
  },
);
