import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeNotes } from './place-notes.js';
import { openDesk } from './typed.fixture.js';

let desk = openDesk();
beforeEach(() => {
  desk.close();
  desk = openDesk();
  // As the end of a repository: whatever stands above the folder of this test is not looked at.
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

describe('what is said of the place where a command was typed', () => {
  it('is nothing where its own folder has a file, or nothing has any', () => {
    expect(placeNotes(at('a', 'b'))).toEqual([]);
    desk.write('tidegate.yaml', '');
    expect(placeNotes(desk.folder)).toEqual([]);
    tools();
    expect(placeNotes(desk.folder)).toEqual([]);
  });

  it('names a file of a folder above, which is in use', () => {
    desk.write('tidegate.yaml', '');
    expect(placeNotes(at('a', 'b'))).toEqual([
      `the configuration in use is ${at('tidegate.yaml')}, of a folder above this one`,
    ]);
  });

  it('names tools of a folder above, which are not', () => {
    const found = tools();
    expect(placeNotes(at('a', 'b'))).toEqual([
      `the tools in ${found} are not used here: type commands in ${desk.folder}, or write a tidegate.yaml there`,
    ]);
    tools('a', 'b');
    expect(placeNotes(at('a', 'b'))).toEqual([]);
  });

  it('names tools below the folder of the file, which are not used either', () => {
    desk.write('tidegate.yaml', '');
    tools();
    const found = tools('a');
    expect(placeNotes(at('a', 'b'))[1]).toBe(
      `the tools in ${found} are not used here: only those beside ${at('tidegate.yaml')} are`,
    );
  });

  it('looks no further than the end of the repository', () => {
    tools();
    mkdirSync(at('a', '.git'));
    expect(placeNotes(at('a', 'b'))).toEqual([]);
  });

  it('passes by what belongs to somebody else', () => {
    tools();
    expect(placeNotes(at('a', 'b'), statSync(desk.folder).uid + 1)).toEqual([]);
    expect(placeNotes(at('a', 'b'), statSync(desk.folder).uid)).toHaveLength(1);
  });
});

describe('a command in a folder below', () => {
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

  it('says so where there is nothing to trust, and where a tool is begun', async () => {
    const found = tools();
    for (const words of [
      ['trust', '--yes'],
      ['tools', 'new', 'count_words'],
    ]) {
      expect((await desk.type(words, 'a')).err).toContain(`the tools in ${found} are not used here`);
    }
  });

  it('takes a named file at its word', async () => {
    desk.write('tidegate.yaml', 'builtins: []\n');
    const named = await desk.type(['tools', 'list', '--config', '../tidegate.yaml'], 'a');
    expect(named.err).not.toContain('of a folder above');
    expect((await desk.type(['tools', 'list'], 'a')).err).toContain('of a folder above');
  });
});
