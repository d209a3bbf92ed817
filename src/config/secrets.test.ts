import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from './load.js';
import { openSecrets } from './secrets.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-secrets-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function loaded(env: Readonly<Record<string, string>>) {
  const file = join(directory, 'tidegate.yaml');
  writeFileSync(file, 'servers:\n  a: { command: "${ONE}", args: ["${TWO:-fallback}"] }\n');
  const { config, problems } = await loadConfig({ file, env, home: '/', secrets: openSecrets(directory) });
  const [server] = config.servers;
  return { words: server?.kind === 'stdio' ? [server.command, ...server.args] : [], problems };
}

describe('the secrets file', () => {
  // A directory of the kernel's own takes no files, not even from root.
  it.skipIf(process.platform !== 'linux')('reports why nothing was stored', () => {
    expect(openSecrets('/proc/self').keep({ ONE: 'first' })).toMatchObject({ code: 'secrets.unwritable' });
  });

  it('stores values for this user only, and deletes them', () => {
    const secrets = openSecrets(directory);
    expect(secrets.keep({ ONE: 'first', TWO: 'second' })).toBeUndefined();
    expect(statSync(secrets.file).mode & 0o777).toBe(0o600);
    expect(openSecrets(directory).valueOf('ONE')).toBe('first');
    expect(secrets.keep({ ONE: undefined, THREE: 'third' })).toBeUndefined();
    expect(secrets.names()).toEqual(['TWO', 'THREE']);
  });

  it('provides variables that are not set, and takes precedence over defaults', async () => {
    openSecrets(directory).keep({ ONE: 'kept-one', TWO: 'kept-two' });
    expect(await loaded({})).toMatchObject({ words: ['kept-one', 'kept-two'], problems: [] });
    expect(await loaded({ ONE: 'set' })).toMatchObject({ words: ['set', 'kept-two'] });
  });

  it('is ignored if others can read it, with a message', async () => {
    const secrets = openSecrets(directory);
    secrets.keep({ ONE: 'kept-one' });
    chmodSync(secrets.file, 0o640);
    const { problems } = await loaded({});
    expect(problems).toMatchObject([{ code: 'config.env_missing' }]);
    expect(problems[0]?.message).toContain('other users can read it');
    expect(problems[0]?.remedy).toContain('tidegate secrets set ONE');
    expect(openSecrets(directory).keep({ TWO: 'x' })).toMatchObject({ code: 'secrets.unsafe' });
    // The control: with its rights as they were, it is used again.
    chmodSync(secrets.file, 0o600);
    expect((await loaded({})).words).toEqual(['kept-one', 'fallback']);
  });

  it('is ignored and never overwritten if it is a link or was not written by Tidegate', () => {
    const other = join(directory, 'other.json');
    writeFileSync(other, '{"version":1,"values":{"ONE":"planted"}}', { mode: 0o600 });
    const secrets = openSecrets(directory);
    symlinkSync(other, secrets.file);
    expect(secrets.valueOf('ONE')).toBeUndefined();
    expect(secrets.problem()).toMatchObject({ code: 'secrets.unsafe' });
    rmSync(secrets.file);
    writeFileSync(secrets.file, '{"version":1,"values":{"ONE":7}}', { mode: 0o600 });
    expect(openSecrets(directory).keep({ TWO: 'x' })).toMatchObject({ code: 'secrets.corrupt' });
    expect(readFileSync(secrets.file, 'utf8')).toContain('7');
  });
});
