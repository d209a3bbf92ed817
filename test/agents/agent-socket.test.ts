import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done } from '../support/flow.js';
import { waitFor } from '../support/gate.js';
import { type GatedPlace, openGatedPlace } from './support/gated-place.js';

// A fake agent that passes the ticket of its launch on to another program.

const shim = fileURLToPath(new URL('../../dist/mcp-serve.cjs', import.meta.url));
const thief = fileURLToPath(new URL('support/thief.mjs', import.meta.url));

let place: GatedPlace;
beforeAll(() => {
  place = openGatedPlace({}, false);
});
afterAll(() => place.close());

const at = (name: string): string => join(place.directory, name);
const isThere = (name: string): Promise<void> =>
  waitFor(
    () => existsSync(at(name)),
    60_000,
    () => `there is no ${name}`,
  );

/** Three launches, then a step that keeps the runner alive until the file `go on` exists. */
function runThefts(): ReturnType<GatedPlace['flow']> {
  const program = at('claude');
  const words = JSON.stringify(place.directory);
  writeFileSync(
    program,
    `#!${process.execPath}\nimport(${JSON.stringify(thief)}).then(({ act }) => act(${words}));\n`,
  );
  chmodSync(program, 0o755);
  const launch = (prompt: string, next: string): object => ({
    type: 'agent',
    provider: 'claude',
    prompt,
    options: { program },
    tidegate: { tools: ['Write'] },
    on_success: next,
    on_failure: next,
  });
  const command = `touch '${at('over')}'; while [ ! -e '${at('go on')}' ]; do sleep 0.1; done`;
  const states = {
    initial: 'a',
    a: launch('used', 'b'),
    b: launch('unused', 'c'),
    c: launch('hides', 'last'),
    last: { type: 'command', command, on_success: 'done' },
    done,
  };
  return place.flow({ states }, [], { env: place.agentEnv, limitMs: 110_000 });
}

/** Connects to the agent socket with such a file, like the server entry of an agent does. */
async function enter(file: string): Promise<{ readonly said: string; readonly complained: string }> {
  const child = spawn(process.execPath, [shim, '--config', file], { stdio: ['pipe', 'pipe', 'pipe'] });
  let [said, complained] = ['', ''];
  child.stdout.on('data', (part: Buffer) => {
    said += part.toString();
    child.stdin.end();
  });
  child.stderr.on('data', (part: Buffer) => (complained += part.toString()));
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  child.stdin.on('error', () => undefined);
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  await new Promise((resolve) => child.once('close', resolve));
  return { said, complained };
}

const refused = { said: '', complained: expect.stringContaining('the ticket is already used') as string };
const welcome = { said: expect.stringContaining('serverInfo') as string, complained: '' };

describe('the agent socket of a launch', () => {
  it('accepts only its ticket, once, and closes with the launch, even for connected clients', async () => {
    const running = runThefts();
    await isThere('used.json');
    const { address } = JSON.parse(readFileSync(at('used.json'), 'utf8')) as { readonly address: string };
    writeFileSync(at('foreign.json'), JSON.stringify({ address, ticket: 'x'.repeat(43) }));
    expect(await enter(at('foreign.json'))).toEqual(refused);
    // The control: the same file connects while the launch is running and the ticket is unused.
    expect(await enter(at('used.json'))).toEqual(welcome);
    expect(await enter(at('used.json'))).toEqual(refused);
    for (const name of ['used may end', 'unused may end']) writeFileSync(at(name), '');
    // All launches have ended; the runner and its socket still exist.
    await isThere('over');
    expect(existsSync(address)).toBe(true);
    expect(await enter(at('unused.json'))).toEqual(refused);
    // It was connected (otherwise its launch would not have ended), and is disconnected now.
    await waitFor(
      () => readFileSync(at('hidden.log'), 'utf8').endsWith('put out\n'),
      5000,
      () => 'the hidden process is still connected',
    );
    expect(readFileSync(at('hidden.log'), 'utf8')).toContain('serverInfo');
    writeFileSync(at('go on'), '');
    await running;
  });
});
