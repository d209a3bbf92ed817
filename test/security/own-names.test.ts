import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place, waitFor } from '../support/gate.js';
import { type HttpClient, openHttpClient, openLegacySession } from '../support/http-client.js';
import { hasProc } from '../support/proc.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;
const limitMs = 120_000;
let place: Place;
let gate: HttpGate;
let client: HttpClient;
let lastId = 0;
afterEach(async () => {
  client.close();
  await gate.close();
  place.close();
});

const at = (...path: readonly string[]): string => join(place.directory, 'workspace', ...path);

type Call = (name: string, args: object) => Promise<string>;

async function open(prepare = (): void => {}): Promise<readonly [alice: Call, bob: Call]> {
  place = openAccessPlace({
    builtins: ['*'],
    access: { default_profile: 'full' },
    log: { file: './gate.log' },
  });
  mkdirSync(at('src'));
  writeFileSync(at('src', 'a.txt'), 'work of bob');
  prepare();
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base, 64);
  return [await openAgentOf('alice'), await openAgentOf('bob')];
}

async function openAgentOf(agent: string): Promise<Call> {
  const { secret } = await makeToken(place, '--as', `agent:${agent}`, '--profile', 'full');
  const headers = await openLegacySession(client, {}, { authorization: `Bearer ${secret}` });
  return async (name, args) => {
    lastId += 1;
    const params = { name, arguments: args };
    const body = JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'tools/call', params });
    return (await client.send('/mcp', body, { headers, limitMs })).text;
  };
}

/** Runs a command in the background that goes on after its work is done. */
async function begin(call: Call, work: string): Promise<void> {
  await call('Bash', { command: `${work}; touch made; sleep 100`, run_in_background: true });
  await waitFor(
    () => existsSync(at('made')),
    20_000,
    () => 'the command did not run',
  );
}

describe.skipIf(!hasBubblewrap)('a command that creates files with names that Tidegate uses', () => {
  it.each([
    ['[15.41]', 'touch gate.log.1'],
    ['[15.41]', 'mkdir gate.log.old'],
    ['[15.16]', 'touch tidegate.yml'],
    ['[15.16]', 'touch tool_profiles.yaml'],
  ])('%s does not stop commands of others: %s', { timeout: limitMs }, async (_label, work) => {
    const [alice, bob] = await open();
    await begin(alice, work);
    expect(await bob('Bash', { command: 'echo be"side"' })).toContain('beside');
    // The log itself stays hidden.
    expect(await bob('Bash', { command: 'test -s gate.log || echo no"thing"' })).toContain('nothing');
  });

  it('[15.41] does not stop them with many names either', { timeout: limitMs }, async () => {
    const [alice, bob] = await open();
    await alice('Bash', { command: 'touch gate.log.{1..3000}' });
    expect(await bob('Bash', { command: 'echo be"side"' })).toContain('beside');
  });

  it('[15.41] control: a log that is rotated while a command runs stays hidden, so others wait', {
    timeout: limitMs,
  }, async () => {
    const [alice, bob] = await open(() => writeFileSync(at('gate.log.1'), 'old lines'));
    expect(await bob('Bash', { command: 'test -s gate.log.1 || echo no"thing"' })).toContain('nothing');
    await begin(alice, 'true');
    renameSync(at('gate.log'), at('gate.log.2'));
    expect(await bob('Bash', { command: 'cat gate.log.2' })).toContain('cannot_hide_now');
  });

  it('[15.16] cannot hide the files of others behind a link', { timeout: limitMs }, async () => {
    const [alice, bob] = await open();
    await alice('Bash', { command: 'ln -s src tidegate.yml; ln -s src tool_profiles.yaml' });
    expect(await bob('Read', { file_path: 'src/a.txt' })).toContain('work of bob');
    expect(await bob('Bash', { command: 'cat src/a.txt' })).toContain('work of bob');
  });

  it('[15.16] control: the target of a trusted link is hidden', { timeout: limitMs }, async () => {
    const [, bob] = await open(() => {
      mkdirSync(at('conf'));
      writeFileSync(at('conf', 'profiles.yaml'), 'profiles: {}\n');
      symlinkSync('conf/profiles.yaml', at('tool_profiles.yaml'));
      expect(place.run('trust', '--yes', at('tool_profiles.yaml')).status).toBe(0);
    });
    expect(await bob('Read', { file_path: 'conf/profiles.yaml' })).toContain('does not exist');
  });
});
