import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shippedModel } from '../access/model.generated.js';
import { shippedProfiles } from '../access/profiles/index.js';
import { type Config, openTrust, type Problem, type Trust } from '../config/index.js';
import { createToolFilter } from '../core/index.js';
import { builtinTools } from './builtin-tools.generated.js';
import { type LocatedProfiles, locateProfiles } from './locate-profiles.js';

let directory = '';
let trust: Trust;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-profiles-')));
  trust = openTrust(join(directory, 'state'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(name: string, text: string): void {
  const file = join(directory, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function locate(access: Partial<Config['access']> = {}): Promise<LocatedProfiles> {
  const configFile = join(directory, 'tidegate.yaml');
  return locateProfiles({ directory, access: { zone: 'local', ...access }, trust, configFile });
}

async function trusted(access: Partial<Config['access']> = {}): Promise<LocatedProfiles> {
  for (const { file, sha256 = '' } of (await locate(access)).files) trust.record(file, sha256);
  return locate(access);
}

const places = (problems: readonly Problem[]): readonly string[] =>
  problems.map(
    ({ file, line, column, code, path }) =>
      `${file.slice(directory.length + 1)}:${String(line)}:${String(column)} ${code} ${path}`,
  );

describe('the built-in profiles', () => {
  it('name only tools that exist', () => {
    const names = builtinTools.map(({ card }) => card.name);
    const entries = shippedProfiles.flatMap(({ tools }) => tools).filter((entry) => entry !== '*');
    expect(entries.length).toBeGreaterThan(5);
    for (const entry of entries) {
      const isOffered = createToolFilter([entry]);
      expect(
        names.filter((name) => isOffered(name)),
        entry,
      ).not.toEqual([]);
    }
  });

  it('[16.27] are all different', async () => {
    const { profiles } = await locate();
    const sets = [...profiles.profiles.values()].map(({ entries }) =>
      [...new Set(entries.map(({ text }) => text))].sort().join(' '),
    );
    expect(sets.filter((set, at) => sets.indexOf(set) !== at)).toEqual([]);
  });

  it('apply if there is no file', async () => {
    const { profiles, model, files, problems } = await locate();
    expect(problems).toEqual([]);
    expect(files).toEqual([]);
    expect(model).toBe(shippedModel);
    expect(profiles.defaultProfile).toBe('minimal');
    const tools = [...profiles.profiles.values()].map(
      ({ name, entries }) => `${name}: ${entries.map(({ text }) => text).join(' ')}`,
    );
    expect(tools).toEqual([
      'minimal: Read Glob Grep',
      'coding: Read Glob Grep Write Edit',
      'search: Read Glob Grep discovery_*',
      'execution: Read Glob Grep Write Edit Bash BashOutput KillBash',
      'full: Read Glob Grep Write Edit Bash BashOutput KillBash * discovery_*',
      'pm: Read Glob Grep list_workflows',
      'tl: Read Glob Grep discovery_* Write Edit list_workflows execute_workflow',
      'dev: Read Glob Grep discovery_* Write Edit Bash BashOutput KillBash list_workflows',
    ]);
    const targets = [...profiles.profiles.values()].flatMap(({ entries }) =>
      entries.map(({ target }) => target.kind),
    );
    expect(new Set(targets)).toEqual(new Set(['tool', 'glob']));
  });
});

describe('a profiles file and a model', () => {
  const profiles = 'default_profile: mine\nprofiles:\n  mine: {extends: minimal, tools: [Grap, "!Bash"]}\n';

  it('apply once they are trusted', async () => {
    write('.tidegate/profiles.yaml', profiles);
    write('.tidegate/model.fga', 'type team\n  relations\n    define member: [principal]\n');
    const before = await locate();
    expect(before.profiles.profiles.has('mine')).toBe(false);
    expect(before.profiles.defaultProfile).toBe('minimal');
    expect(before.model).toBe(shippedModel);
    expect(before.problems.map(({ code }) => code)).toEqual(['profiles.untrusted', 'profiles.untrusted']);
    const after = await trusted();
    expect(after.problems).toEqual([]);
    expect(after.profiles.defaultProfile).toBe('mine');
    expect(after.profiles.profiles.get('mine')?.entries).toHaveLength(5);
    expect(after.model.types.some(({ name }) => name === 'team')).toBe(true);
    expect(after.stamp).not.toBe(before.stamp);
  });

  it('give warnings with their lines', async () => {
    write('.tidegate/profiles.yaml', profiles);
    const tools = builtinTools.map(({ card: { name, tier } }) => {
      return { name, localName: name, source: 'builtin' as const, tier };
    });
    const warnings = (await trusted()).warnings(tools);
    expect(places(warnings)).toEqual([
      '.tidegate/profiles.yaml:3:36 profiles.unknown_tool profiles.mine.tools[0]',
    ]);
    expect(warnings[0]?.remedy).toContain('`Grep`');
  });

  it('report every problem once, with its position', async () => {
    write(
      '.tidegate/profiles.yaml',
      'default_profile: gone\nprofiles:\n  a: {extends: b}\n  b: {extends: a, tools: ["x:y"]}\n  "c d": {}\n  e: {extends: [nowhere], tolls: []}\n',
    );
    write('.tidegate/model.fga', 'type tool\n  relations\n    define see: [ghost]\n');
    const { problems } = await trusted();
    expect(places(problems)).toEqual([
      '.tidegate/profiles.yaml:5:3 config.bad_name profiles["c d"]',
      '.tidegate/profiles.yaml:6:27 config.unknown_key profiles.e.tolls',
      '.tidegate/profiles.yaml:4:27 profiles.bad_entry profiles.b.tools[0]',
      '.tidegate/profiles.yaml:4:7 profiles.cycle profiles.b.extends',
      '.tidegate/profiles.yaml:6:7 profiles.unknown_parent profiles.e.extends',
      '.tidegate/profiles.yaml:1:1 profiles.unknown_default default_profile',
      ...Array.from({ length: 7 }, () => '.tidegate/model.fga:1:1 access.bad_model '),
    ]);
  });
});

describe('the default profile of the configuration', () => {
  it('wins over that of the file', async () => {
    write('.tidegate/profiles.yaml', 'default_profile: coding\n');
    expect((await trusted()).profiles.defaultProfile).toBe('coding');
    expect((await trusted({ defaultProfile: 'pm' })).profiles.defaultProfile).toBe('pm');
    expect((await trusted({ defaultProfile: 'none' })).profiles.defaultProfile).toBeUndefined();
  });

  it('is a configuration problem if it does not exist', async () => {
    const { problems } = await locate({ defaultProfile: 'codin' });
    expect(places(problems)).toEqual(['tidegate.yaml:1:1 profiles.unknown_default access.default_profile']);
    expect(problems[0]?.remedy).toContain('coding');
  });

  it('gives no access if only an untrusted file defines it', async () => {
    write('.tidegate/profiles.yaml', 'profiles: {tight: {tools: ["!Bash"]}}\n');
    const { profiles, problems } = await locate({ defaultProfile: 'tight' });
    expect(profiles.defaultProfile).toBeUndefined();
    expect(problems.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'warning profiles.untrusted',
    ]);
    expect((await trusted({ defaultProfile: 'tight' })).profiles.defaultProfile).toBe('tight');
  });
});
