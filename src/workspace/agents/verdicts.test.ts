import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openVerdicts, packageVersion, verdictKey } from './verdicts.js';

let root: string;
let program: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tidegate-verdicts-'));
  mkdirSync(join(root, 'pkg', 'bin'), { recursive: true });
  program = join(root, 'pkg', 'bin', 'agent');
  writeFileSync(program, 'one');
  writeFileSync(join(root, 'pkg', 'package.json'), '{"version":"1.0.0"}');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the key of a verdict', () => {
  const key = (model?: string, version = '0.1.0'): string => verdictKey('claude', program, model, version);

  it('is the same for the same program, even through a link', () => {
    const link = join(root, 'link');
    symlinkSync(program, link);
    expect(verdictKey('claude', link, undefined, '0.1.0')).toBe(key());
  });

  it('differs by model, Tidegate version and CLI', () => {
    expect(new Set([key(), key('m'), key('n'), key(undefined, '0.2.0')]).size).toBe(4);
    expect(verdictKey('gemini', program, undefined, '0.1.0')).not.toBe(key());
  });

  it('changes after an upgrade', () => {
    const before = key();
    const { atime, mtime } = statSync(program);
    writeFileSync(program, 'two');
    utimesSync(program, atime, mtime);
    const rewritten = key();
    expect(rewritten).not.toBe(before);
    writeFileSync(join(root, 'pkg', 'package.json'), '{"version":"1.0.1"}');
    expect(key()).not.toBe(rewritten);
  });
});

describe('remembered verdicts', () => {
  const verdict = { kind: 'isolated', version: '1', growsList: true } as const;
  const remembered = { cli: 'claude', program: '/x', verdict, at: '2026-01-01' };

  it('are found by their key, in a private file', () => {
    openVerdicts(root).set('a', remembered);
    openVerdicts(root).set('b', { ...remembered, cli: 'codex' });
    expect(openVerdicts(root).get('a')).toEqual(verdict);
    expect(openVerdicts(root).get('c')).toBeUndefined();
    expect(
      openVerdicts(root)
        .list()
        .map(({ cli }) => cli),
    ).toEqual(['claude', 'codex']);
    expect(statSync(join(root, 'agents.json')).mode & 0o077).toBe(0);
  });

  it('are unknown if the file cannot be read', () => {
    writeFileSync(join(root, 'agents.json'), '{"a":');
    expect(openVerdicts(root).get('a')).toBeUndefined();
    openVerdicts(root).set('a', remembered);
    expect(openVerdicts(root).get('a')).toEqual(verdict);
  });

  it('are limited in number', () => {
    const verdicts = openVerdicts(root);
    for (let at = 0; at < 205; at += 1) verdicts.set(String(at), remembered);
    expect(Object.keys(JSON.parse(readFileSync(join(root, 'agents.json'), 'utf8')) as object)).toHaveLength(
      200,
    );
  });
});

describe('the version of a program', () => {
  it('is the version of its package', () => {
    expect(packageVersion(program)).toBe('1.0.0');
    expect(packageVersion('/agent')).toBeUndefined();
  });
});
