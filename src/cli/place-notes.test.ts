import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeNotes } from './place-notes.js';
import { openDesk } from './typed.fixture.js';

let desk = openDesk();
beforeEach(() => {
  desk.close();
  desk = openDesk();
  // Marks the root of a repository, so that folders above this test are ignored.
  mkdirSync(join(desk.folder, '.git'));
  mkdirSync(join(desk.folder, 'a', 'b'), { recursive: true });
});
afterEach(() => desk.close());

const at = (...names: readonly string[]): string => join(desk.folder, ...names);
const tools = (...names: readonly string[]): string => {
  const folder = at(...names, '.tidegate', 'tools');
  mkdirSync(folder, { recursive: true });
  return folder;
};

describe('notes about the current folder', () => {
  it('are empty if this folder has a configuration, or none exists', () => {
    expect(placeNotes(at('a', 'b'))).toEqual([]);
    desk.write('tidegate.yaml', '');
    expect(placeNotes(desk.folder)).toEqual([]);
    tools();
    expect(placeNotes(desk.folder)).toEqual([]);
  });

  it('name a configuration from a folder above', () => {
    desk.write('tidegate.yaml', '');
    expect(placeNotes(at('a', 'b'))).toEqual([
      `using the configuration of a folder above: ${at('tidegate.yaml')}`,
    ]);
  });

  it('name unused tools from a folder above', () => {
    const found = tools();
    expect(placeNotes(at('a', 'b'))).toEqual([
      `the tools in ${found} are not used here: run commands in ${desk.folder}, or create a tidegate.yaml there`,
    ]);
    tools('a', 'b');
    expect(placeNotes(at('a', 'b'))).toEqual([]);
  });

  it('name unused tools below the folder of the configuration', () => {
    desk.write('tidegate.yaml', '');
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
    expect(placeNotes(at('a', 'b'), statSync(desk.folder).uid + 1)).toEqual([]);
    expect(placeNotes(at('a', 'b'), statSync(desk.folder).uid)).toHaveLength(1);
  });
});

describe('a command in a subfolder', () => {
  it.each([[['tools', 'list']], [['tools', 'show', 'Read']], [['servers']]])('says so: %j', async (words) => {
    const found = tools();
    for (const form of [words, [...words, '--json']]) {
      const { code, out, err } = await desk.type(form, 'a');
      expect(code).toBe(0);
      expect(err).toContain(`the tools in ${found} are not used here`);
      expect(out).not.toContain(found);
    }
    expect((await desk.type(words)).err).not.toContain('not used here');
  });

  it('says so in trust and tools new', async () => {
    const found = tools();
    for (const words of [
      ['trust', '--yes'],
      ['tools', 'new', 'count_words'],
    ]) {
      expect((await desk.type(words, 'a')).err).toContain(`the tools in ${found} are not used here`);
    }
  });

  it('does not say so with --config', async () => {
    desk.write('tidegate.yaml', 'builtins: []\n');
    const named = await desk.type(['tools', 'list', '--config', '../tidegate.yaml'], 'a');
    expect(named.err).not.toContain('of a folder above');
    expect((await desk.type(['tools', 'list'], 'a')).err).toContain('of a folder above');
  });
});
