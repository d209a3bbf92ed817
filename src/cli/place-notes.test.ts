import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeNotes } from './place-notes.js';
import { openTypedPlace } from './typed.fixture.js';

let typed = openTypedPlace();
beforeEach(() => {
  typed.close();
  typed = openTypedPlace();
  // Marks the root of a repository, so that folders above this test are ignored.
  mkdirSync(join(typed.folder, '.git'));
  mkdirSync(join(typed.folder, 'a', 'b'), { recursive: true });
});
afterEach(() => typed.close());

const at = (...names: readonly string[]): string => join(typed.folder, ...names);
const tools = (...names: readonly string[]): string => {
  const folder = at(...names, '.tidegate', 'tools');
  mkdirSync(folder, { recursive: true });
  return folder;
};

describe('notes about the current folder', () => {
  it('are empty if this folder has a configuration, or none exists', () => {
    expect(placeNotes(at('a', 'b'))).toEqual([]);
    typed.write('tidegate.yaml', '');
    expect(placeNotes(typed.folder)).toEqual([]);
    tools();
    expect(placeNotes(typed.folder)).toEqual([]);
  });

  it('name a configuration from a folder above', () => {
    typed.write('tidegate.yaml', '');
    expect(placeNotes(at('a', 'b'))).toEqual([
      `using the configuration of a parent folder: ${at('tidegate.yaml')}`,
    ]);
  });

  it('name unused tools from a folder above', () => {
    const found = tools();
    expect(placeNotes(at('a', 'b'))).toEqual([
      `the tools in ${found} are not used here: run commands in ${typed.folder}, or create a tidegate.yaml there`,
    ]);
    tools('a', 'b');
    expect(placeNotes(at('a', 'b'))).toEqual([]);
  });

  it('name unused tools below the folder of the configuration', () => {
    typed.write('tidegate.yaml', '');
    tools();
    const found = tools('a');
    expect(placeNotes(at('a', 'b'))[1]).toBe(
      `the tools in ${found} are not used here: only the tools next to ${at('tidegate.yaml')} are`,
    );
  });

  it('ignore folders above the repository', () => {
    tools();
    mkdirSync(at('a', '.git'));
    expect(placeNotes(at('a', 'b'))).toEqual([]);
  });

  it('ignore folders of other users', () => {
    tools();
    expect(placeNotes(at('a', 'b'), statSync(typed.folder).uid + 1)).toEqual([]);
    expect(placeNotes(at('a', 'b'), statSync(typed.folder).uid)).toHaveLength(1);
  });
});

describe('a command in a subfolder', () => {
  it.each([[['tools', 'list']], [['tools', 'show', 'Read']], [['servers']]])('says so: %j', async (words) => {
    const found = tools();
    for (const form of [words, [...words, '--json']]) {
      const { code, out, err } = await typed.type(form, 'a');
      expect(code).toBe(0);
      expect(err).toContain(`the tools in ${found} are not used here`);
      expect(out).not.toContain(found);
    }
    expect((await typed.type(words)).err).not.toContain('not used here');
  });

  it('says so in trust and tools new', async () => {
    const found = tools();
    for (const words of [
      ['trust', '--yes'],
      ['tools', 'new', 'count_words'],
    ]) {
      expect((await typed.type(words, 'a')).err).toContain(`the tools in ${found} are not used here`);
    }
  });

  it('does not say so with --config', async () => {
    typed.write('tidegate.yaml', 'builtins: []\n');
    const named = await typed.type(['tools', 'list', '--config', '../tidegate.yaml'], 'a');
    expect(named.err).not.toContain('of a parent folder');
    expect((await typed.type(['tools', 'list'], 'a')).err).toContain('of a parent folder');
  });
});
