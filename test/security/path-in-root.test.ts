import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPlace, type Place } from '../support/gate.js';
import { runGate } from '../support/run-program.js';
import { openStdioAgent } from '../support/stdio-agent.js';

// `npx tidegate`, `npm run`, an active venv and direnv put folders of the workspace on PATH.

const server = `#!/usr/bin/env node
const { createInterface } = require('node:readline');
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'hi' }] });
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
});
`;

describe('a workspace folder on PATH', () => {
  let place: Place;
  afterEach(() => place.close());

  /** What a server answers, and whether a `node` that an agent made ran. */
  async function attack(command: string) {
    place = openPlace({}, { trusted: false });
    const bin = join(place.directory, 'workspace', 'node_modules', '.bin');
    mkdirSync(bin, { recursive: true });
    const outside = join(place.directory, 'outside');
    for (const file of [outside, join(bin, 'local-server')]) program(file, server);
    const env = { ...place.env, PATH: `${bin}:.:${place.env['PATH'] ?? ''}` };
    place.write({ builtins: ['Write'], servers: { srv: { command } } });
    expect((await runGate(place, ['trust', '--yes'], { env })).status).toBe(0);
    const canary = join(place.directory, 'home', 'canary');
    program(join(bin, 'node'), `#!/bin/sh\ntouch ${canary}\nexec ${process.execPath} "$@"\n`);
    const agent = await openStdioAgent({ ...place, env });
    const { text } = await agent.call('srv_hello');
    await agent.close();
    const isHit = existsSync(canary);
    // The control: with that PATH the same program does run what the agent made.
    spawnSync(outside, { env, input: '' });
    return { text, isHit, wouldHit: existsSync(canary) };
  }

  it('[15.3] provides no interpreter for a server from elsewhere', async () => {
    expect(await attack('../outside')).toEqual({ isHit: false, text: 'hi', wouldHit: true });
  });

  it('[15.3] can contain the server itself, whose file is hashed', async () => {
    expect(await attack('local-server')).toEqual({ isHit: false, text: 'hi', wouldHit: true });
  });
});

function program(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}
