import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { endProcess, openPlace, type Place, program, spawnStdioGate, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { runGate } from '../support/run-program.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

const lists = { 'tools/list': ['{"name":"add_numbers","inputSchema":{"type":"object"}}'] };
const patterns = 'Read,one_ad_numbers,fidn*,one_*';
const told = [
  'no tool is called one_ad_numbers. Did you mean "one_add_numbers"?',
  'no tool is called fidn*.',
];
const nothing = ['no tool is called Read', 'no tool is called one_*'];

describe('a --tools pattern that matches nothing', () => {
  let upstream: ScriptedUpstream;
  let place: Place;
  beforeAll(async () => {
    upstream = await openScripted('stdio', 'legacy', { lists });
    place = openPlace({ builtins: ['Read'], servers: { one: upstream.entry } });
  });
  afterAll(async () => {
    place.close();
    await upstream.close();
  });

  async function expectTold(said: () => string): Promise<void> {
    await waitFor(
      // The log is JSON, where quotes are escaped.
      () => told.every((line) => said().replaceAll('\\', '').includes(line)),
      10_000,
      () => `there was no warning: ${said()}`,
    );
    for (const line of nothing) expect(said()).not.toContain(line);
  }

  it('is reported over HTTP, once every server has listed its tools', async () => {
    const port = await freePort();
    const args = [
      program,
      'serve',
      '--config',
      place.configFile,
      '--port',
      String(port),
      '--tools',
      patterns,
    ];
    const cwd = join(place.directory, 'workspace');
    const child = spawn(process.execPath, args, { cwd, env: place.env, stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.on('data', (part: Buffer) => (said += part.toString()));
    child.stdout.resume();
    await expectTold(() => said);
    await endProcess(child);
  });

  it('is reported over stdio', async () => {
    const child = spawnStdioGate(place, '--tools', patterns);
    const client = openLineClient(child);
    await client.initialize();
    await client.request('tools/list');
    await expectTold(() => client.stderr());
    await endProcess(child);
  });

  it.each([
    ['list', ['tools', 'list', '--tools', patterns], 0],
    ['show', ['tools', 'show', 'one_add_numbers', '--tools', patterns], 0],
    ['show, for an excluded tool', ['tools', 'show', 'Read', '--tools', 'one_ad_numbers,fidn*'], 3],
    ['call', ['tools', 'call', 'Read', 'path=tidegate.yaml', '--tools', patterns], 0],
  ])('is reported by tools %s', async (_name, words, status) => {
    const ran = await runGate(place, words);
    expect(ran.status).toBe(status);
    for (const line of told) expect(ran.stderr).toContain(`warning: --tools: ${line}`);
    for (const line of nothing) expect(ran.stderr).not.toContain(line);
    expect(ran.stdout).not.toContain('no tool is called');
  });
});
