import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from './load.js';
import { openTrust } from './trust.js';
import { readTrustFile, writeTrustFile } from './trust-file.js';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-trust-')));
afterAll(() => rmSync(root, { recursive: true }));

let state = '';
let record = '';
let file = '';
let count = 0;
beforeEach(() => {
  count += 1;
  state = join(root, `state-${count}`);
  record = join(state, 'trust.json');
  file = join(root, `work-${count}`, 'tidegate.yaml');
  mkdirSync(dirname(file));
  writeFileSync(file, 'servers: {s: {command: make}}\n');
});

const hashOf = async (path: string) => (await loadConfig({ file: path, env: {}, home: '/' })).sha256 ?? '';
const otherHash = 'f'.repeat(64);

describe('trust', () => {
  it('does not exist until it is recorded', async () => {
    const trust = openTrust(state);
    const sha256 = await hashOf(file);
    expect(trust.isTrusted(file, sha256)).toBe(false);
    expect(trust.problem()).toBeUndefined();
    expect(trust.record(file, sha256)).toBeUndefined();
    expect(trust.isTrusted(file, sha256)).toBe(true);
    expect(openTrust(state).isTrusted(file, sha256)).toBe(true);
    expect(trust.isTrusted(file, undefined)).toBe(false);
  });

  it('ends when a single byte changes; comparing names would not notice (control)', async () => {
    const trust = openTrust(state);
    trust.record(file, await hashOf(file));
    writeFileSync(file, 'servers: {s: {command: fake}}\n');
    expect(trust.isTrusted(file, await hashOf(file))).toBe(false);
    const comparesNamesOnly = trust.list().some((entry) => entry.file === realpathSync(file));
    expect(comparesNamesOnly).toBe(true);
  });

  it('covers the content that was read, not later changes', async () => {
    const loaded = await loadConfig({ file, env: {}, home: '/' });
    writeFileSync(file, 'servers: {s: {command: fake}}\n');
    const trust = openTrust(state);
    trust.record(file, loaded.sha256 ?? '');
    expect(loaded.config.servers).toMatchObject([{ command: 'make' }]);
    expect(trust.isTrusted(file, await hashOf(file))).toBe(false);
  });

  it('applies to one path: the same content elsewhere, or under an unresolved link, is a different file', async () => {
    const trust = openTrust(state);
    const sha256 = await hashOf(file);
    trust.record(file, sha256);
    const copy = join(dirname(file), 'copy.yaml');
    const link = join(dirname(file), 'link.yaml');
    writeFileSync(copy, readFileSync(file));
    symlinkSync(file, link);
    expect(trust.isTrusted(copy, sha256)).toBe(false);
    // Whoever reads the file resolves links, once; a second look could see where the link points by then.
    expect(trust.isTrusted(link, sha256)).toBe(false);
    expect(trust.isTrusted(realpathSync(link), sha256)).toBe(true);
  });

  it('is replaced by newer content and can be removed, even for a deleted file', async () => {
    const trust = openTrust(state, () => new Date(0));
    const sha256 = await hashOf(file);
    trust.record(file, sha256);
    trust.record(file, otherHash);
    expect(trust.isTrusted(file, sha256)).toBe(false);
    expect(trust.list()).toEqual([{ file, sha256: otherHash, recorded: '1970-01-01T00:00:00.000Z' }]);
    rmSync(file);
    expect(trust.forget(file)).toBeUndefined();
    expect(trust.list()).toEqual([]);
  });

  it('is stored for this user only, and leaves no other files', async () => {
    const trust = openTrust(state);
    trust.record(file, await hashOf(file));
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(record).mode & 0o777).toBe(0o600);
    expect(readdirSync(state)).toEqual(['trust.json']);
  });

  it('removes what a crashed writer left behind', async () => {
    const trust = openTrust(state);
    trust.record(file, otherHash);
    writeFileSync(join(state, 'trust.json.dead.draft'), '{');
    trust.record(file, await hashOf(file));
    expect(readdirSync(state)).toEqual(['trust.json']);
  });

  it('keeps the newest thousand files', () => {
    const trust = openTrust(state);
    trust.record(file, otherHash);
    const many = Array.from({ length: 1_000 }, (_, i) => ({
      file: `/f${i}`,
      sha256: otherHash,
      recorded: '',
    }));
    writeTrustFile(record, many, () => true);
    trust.record(file, otherHash);
    expect(trust.list()).toHaveLength(1_000);
    expect(trust.isTrusted(file, otherHash)).toBe(true);
    expect(trust.isTrusted('/f0', otherHash)).toBe(false);
    expect(trust.isTrusted('/f1', otherHash)).toBe(true);
  });
});

describe('a record that cannot be trusted', () => {
  const sound = () => JSON.stringify({ version: 1, files: { [file]: { sha256: otherHash, recorded: '' } } });
  const put = (text: string | Buffer) => {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    writeFileSync(record, text, { mode: 0o600 });
  };
  const expectNothing = (code: string) => {
    const trust = openTrust(state);
    expect(trust.isTrusted(file, otherHash)).toBe(false);
    expect(trust.list()).toEqual([]);
    expect(trust.problem()).toMatchObject({ code, severity: 'error' });
    expect(trust.record(file, otherHash)).toMatchObject({ code });
    expect(trust.forget(file)).toMatchObject({ code });
  };

  it('is distinguished from a valid one (control)', () => {
    put(sound());
    expect(openTrust(state).isTrusted(file, otherHash)).toBe(true);
  });

  it.each([
    ['empty', () => ''],
    ['cut off', () => sound().slice(0, -3)],
    ['not an object', () => 'null'],
    ['of another version', () => sound().replace('1', '2')],
    ['with a list', () => '{"version":1,"files":[]}'],
    ['with a bad hash', () => sound().replace('ffff', 'FFFF')],
    ['with one bad entry', () => sound().replace('}}}', '},"/x":{}}}')],
    ['not text', () => Buffer.from([0xff, 0xfe, 0])],
  ])('because it is %s trusts nothing', (_, text) => {
    put(text());
    expectNothing('trust.corrupt');
  });

  it.each([0o602, 0o620, 0o666])('because its permissions are %o trusts nothing', (mode) => {
    put(sound());
    chmodSync(record, mode);
    expectNothing('trust.unsafe');
  });

  it.runIf(process.getuid?.() === 0)('because it belongs to another user trusts nothing', () => {
    put(sound());
    chownSync(record, 12_345, 12_345);
    expectNothing('trust.unsafe');
  });

  it('because it is a link trusts nothing', () => {
    put('');
    rmSync(record);
    writeFileSync(join(root, 'elsewhere.json'), sound(), { mode: 0o600 });
    symlinkSync(join(root, 'elsewhere.json'), record);
    expectNothing('trust.unsafe');
  });

  it('because it is a directory trusts nothing', () => {
    mkdirSync(record, { recursive: true, mode: 0o700 });
    chmodSync(record, 0o700);
    expectNothing('trust.unsafe');
  });

  it('because every user can write to its directory trusts nothing', () => {
    put(sound());
    chmodSync(state, 0o777);
    expectNothing('state.unsafe');
  });
});

describe('several processes that record trust at the same time', () => {
  it('lose nothing', async () => {
    const script = join(root, 'trust.mjs');
    const entryPoints = [fileURLToPath(new URL('trust.ts', import.meta.url))];
    await build({ entryPoints, bundle: true, platform: 'node', format: 'esm', outfile: script });
    const work = `
      const { openTrust } = await import(${JSON.stringify(pathToFileURL(script).href)});
      const [state, name] = process.argv.slice(1);
      const trust = openTrust(state);
      for (let i = 0; i < 20; i += 1) {
        const problem = trust.record('/of/' + name + '/' + i, 'f'.repeat(64));
        if (problem) throw new Error(problem.message);
      }`;
    const run = promisify(execFile);
    const names = ['a', 'b', 'c'];
    await Promise.all(
      names.map((name) => run(process.execPath, ['--input-type=module', '-e', work, state, name])),
    );
    expect(openTrust(state).list()).toHaveLength(60);
    expect(readdirSync(state)).toEqual(['trust.json']);
  });

  it('control: would lose records if they only read and wrote', () => {
    mkdirSync(state, { mode: 0o700 });
    const read = () => {
      const content = readTrustFile(record);
      return content.state === 'sound' ? content.records : [];
    };
    const [first, second] = [read(), read()];
    writeTrustFile(record, [...first, { file: '/a', sha256: otherHash, recorded: '' }], () => true);
    writeTrustFile(record, [...second, { file: '/b', sha256: otherHash, recorded: '' }], () => true);
    expect(read()).toHaveLength(1);
  });
});
