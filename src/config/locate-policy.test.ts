import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  findPolicy,
  type LocatedPolicy,
  locatePolicy,
  openTrust,
  type Trust,
  watchProfiles,
} from './index.js';

let directory = '';
let trust: Trust;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-policy-')));
  trust = openTrust(join(directory, 'state'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const file = join(directory, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const locate = (): Promise<LocatedPolicy> => locatePolicy({ directory }, trust);
const codes = ({ problems }: LocatedPolicy) => problems.map(({ code, severity }) => `${severity} ${code}`);

async function recordAll(): Promise<void> {
  const { profiles, model } = await locate();
  for (const found of [profiles, model]) {
    if (found?.sha256 !== undefined) expect(trust.record(found.file, found.sha256)).toBeUndefined();
  }
}

describe('the policy files', () => {
  it.each(['the file', 'its folder'])(
    'count as changed if a link replaces %s, even with the same content',
    async (what) => {
      const file = write('.tidegate/profiles.yaml', 'default_profile: none\n');
      await recordAll();
      expect(codes(await locate())).toEqual([]);
      const place = what === 'the file' ? file : dirname(file);
      renameSync(place, join(directory, 'elsewhere'));
      symlinkSync(join(directory, 'elsewhere'), place);
      expect(codes(await locate())).toContain('error profiles.changed');
    },
  );

  it.each(['.tidegate/profiles.yaml', '.tidegate/tool_profiles.yaml', 'tool_profiles.yaml'])(
    'are found as %s',
    (name) => {
      expect(findPolicy({ directory })).toEqual({});
      const file = write(name, '');
      expect(findPolicy({ directory })).toEqual({ profiles: file });
      const model = write('.tidegate/model.fga', '');
      expect(findPolicy({ directory })).toEqual({ profiles: file, model });
    },
  );

  it.each([
    ['.tidegate/profiles.yaml', '.tidegate/tool_profiles.yaml'],
    ['.tidegate/profiles.yaml', 'tool_profiles.yaml'],
    ['.tidegate/tool_profiles.yaml', 'tool_profiles.yaml'],
  ])('are an error if both %s and %s exist', async (...names) => {
    for (const name of names) write(name, '');
    const { problem } = findPolicy({ directory });
    expect(problem).toMatchObject({ code: 'profiles.ambiguous', severity: 'error' });
    for (const name of names) expect(problem?.message).toContain(name);
    expect(codes(await locate())).toContain('error profiles.ambiguous');
  });

  it('are only those that the configuration names, if it names any', async () => {
    write('.tidegate/profiles.yaml', 'profiles: {a: {}}');
    const other = write('policy/p.yaml', 'profiles: {b: {}}');
    expect(findPolicy({ directory, profiles: other })).toEqual({ profiles: other });
    const absent = join(directory, 'absent.yaml');
    const located = await locatePolicy({ directory, profiles: absent, model: absent }, trust);
    expect(codes(located).filter((code) => code === 'error config.unreadable')).toHaveLength(2);
  });

  it('are not treated as missing if they are dangling links', async () => {
    mkdirSync(join(directory, '.tidegate'));
    symlinkSync(join(directory, 'nowhere'), join(directory, '.tidegate', 'profiles.yaml'));
    expect(codes(await locate())).toContain('error config.unreadable');
    rmSync(join(directory, '.tidegate'), { recursive: true });
    mkdirSync(join(directory, '.tidegate', 'profiles.yaml'), { recursive: true });
    expect(codes(await locate())).toContain('error config.unreadable');
  });

  it('are missing if the parent path is not a folder', async () => {
    write('.tidegate', 'a file');
    expect(await locate()).toEqual({ problems: [] });
  });
});

describe('a policy from a checkout', () => {
  it('does not apply until it is trusted, and the operator is warned', async () => {
    const file = write('.tidegate/profiles.yaml', 'profiles: {a: {tools: [Read]}}');
    const model = write('.tidegate/model.fga', 'type team\n');
    const before = await locate();
    expect(before).toMatchObject({
      profiles: { file, isTrusted: false },
      model: { file: model, isTrusted: false },
    });
    expect(codes(before)).toEqual(['warning profiles.untrusted', 'warning profiles.untrusted']);
    await recordAll();
    const after = await locate();
    expect(after).toMatchObject({
      profiles: { isTrusted: true },
      model: { isTrusted: true, text: 'type team\n' },
    });
    expect(codes(after)).toEqual([]);
  });

  it('prevents the start if it changed after it was trusted, because the built-in policy may allow more', async () => {
    write('.tidegate/profiles.yaml', 'profiles: {coding: {tools: ["!Bash"]}}');
    await recordAll();
    write('.tidegate/profiles.yaml', 'profiles: {coding: {tools: ["Bash"]}}');
    const located = await locate();
    expect(located.profiles?.isTrusted).toBe(false);
    expect(codes(located)).toEqual(['error profiles.changed']);
  });

  it.each(['.tidegate/profiles.yaml', 'tool_profiles.yaml', '.tidegate/model.fga'])(
    'prevents the start if %s was trusted and is missing, until trust is removed',
    async (name) => {
      const file = write(name, '');
      await recordAll();
      rmSync(file);
      expect(codes(await locate())).toEqual(['error profiles.changed']);
      trust.forget(file);
      expect(codes(await locate())).toEqual([]);
    },
  );

  it('prevents the start if the trusted content is unknown', async () => {
    write('.tidegate/profiles.yaml', 'profiles: {a: {}}');
    await recordAll();
    write('state/trust.json', 'nonsense');
    expect(codes(await locate())).toEqual(['error trust.corrupt']);
  });
});

describe('watching the policy files', () => {
  it.each([
    '.tidegate/profiles.yaml',
    '.tidegate/tool_profiles.yaml',
    'tool_profiles.yaml',
    '.tidegate/model.fga',
  ])('reports when %s is created, changed and deleted', async (name) => {
    mkdirSync(join(directory, '.tidegate'));
    let heard: (() => void) | undefined;
    const watch = watchProfiles({ directory }, () => heard?.(), { settle: 10, poll: 50 });
    const change = async (act: () => void): Promise<void> => {
      const told = new Promise<void>((resolve) => {
        heard = resolve;
      });
      act();
      await told;
    };
    try {
      await change(() => write(name, 'profiles: {}'));
      await change(() => write(name, 'profiles: {a: {}}'));
      await change(() => rmSync(join(directory, name)));
    } finally {
      watch.close();
    }
  });

  it('reports when a missing folder is created', async () => {
    let heard: () => void = () => undefined;
    const told = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const watch = watchProfiles({ directory }, () => heard(), { settle: 10, poll: 50 });
    write('.tidegate/profiles.yaml', '');
    await told;
    watch.close();
  });
});
