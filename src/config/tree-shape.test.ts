import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { count } from '../../test/support/counts.js';
import { loadConfig } from './load.js';
import { openShapeMemory } from './shape-memory.js';
import { shapeOf, treeOf } from './tree-shape.js';
import { parseText } from './yaml-tree.js';

const samples = [
  'servers:\n  files: { command: npx, args: [-y, "a b", \'c\', .] }\n  web:\n    url: https://example.com/mcp\n',
  '{"servers":{"x":{"command":"/bin/true","args":[],"env":{"A":"1"}}},"log":{"level":"debug"}}',
  '# only a comment\nhttp:\n  port: 7331 # here\n  auth: none\nlog:\n',
  'a: 1.10\nb: 0x1F\nc: true\nd: null\ne: ~\nf:\n"g h": -3\n\'i\': .5\n',
  'list:\n  - one\n  - - two\n    - three\n  - {}\n',
];

describe('the shape of a tree', () => {
  it.each(samples)('restores the tree of %j', (text) => {
    const { root } = parseText(text);
    const shape = shapeOf(root, text);
    expect(shape).toBeDefined();
    expect(treeOf(shape ?? [], text)).toEqual(root);
  });

  it.each([
    'a: "x\\ty"\n',
    "a: 'it''s'\n",
    'a: |\n  one\n  two\n',
    'a: &x 1\nb: *x\n',
    'a: two\n  lines\n',
    '? [a]\n: b\n',
  ])('is not stored if it would differ from %j', (text) => {
    const { root } = parseText(text);
    const shape = shapeOf(root, text);
    if (shape !== undefined) expect(treeOf(shape, text)).toEqual(root);
  });

  it('restores the same tree for any valid text', () => {
    const word = fc.constantFrom(
      'a',
      'b:',
      '- ',
      '  ',
      '\n',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      ',',
      '1',
      'true',
      '#',
      '&x ',
      '*x',
      '|',
      '\\',
      'é',
      '𝄞',
      '<<: ',
      ': ',
      '\t',
      '\r\n',
    );
    let shaped = 0;
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (words) => {
        const text = words.join('');
        const { root } = parseText(text);
        const shape = shapeOf(root, text);
        if (shape === undefined) return;
        shaped += 1;
        expect(treeOf(shape, text)).toEqual(root);
      }),
      { numRuns: count(5000) },
    );
    expect(shaped).toBeGreaterThan(0);
  });

  it('is refused when it is damaged', () => {
    const [text = ''] = samples;
    const shape = shapeOf(parseText(text).root, text) ?? [];
    expect(treeOf(shape.slice(0, -1), text)).toBeUndefined();
    expect(treeOf([...shape, 1], text)).toBeUndefined();
    expect(treeOf([1, 0, 0, 2 ** 40], text)).toBeUndefined();
    expect(treeOf([9, 0, 0, 0, 0], text)).toBeUndefined();
  });
});

describe('the cache of shapes', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tidegate-shapes-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const file = (): string => join(directory, 'tidegate.yaml');
  const load = (version = '1') =>
    loadConfig({
      file: file(),
      env: {},
      home: '/home/ada',
      shapes: openShapeMemory(join(directory, 'state'), version),
    });
  const kept = (): string => {
    const folder = join(directory, 'state', 'configs');
    return join(folder, readdirSync(folder)[0] ?? '');
  };
  const text = 'servers:\n  web: { url: "https://example.com/mcp", headers: { X-Key: hunter2 } }\n';

  it('returns the same configuration on the second read', async () => {
    writeFileSync(file(), text);
    const first = await load();
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
    expect(await load()).toEqual(first);
  });

  it('contains no values from the file', async () => {
    writeFileSync(file(), text);
    await load();
    const { shape, ...others } = JSON.parse(readFileSync(kept(), 'utf8')) as { readonly shape: unknown };
    expect(JSON.stringify(shape)).toMatch(/^\[[\d,]+\]$/);
    expect(Object.keys(others)).toEqual(['version', 'sha256']);
  });

  it('is used only for exactly the same bytes and version', async () => {
    writeFileSync(file(), text);
    await load();
    const record = JSON.parse(readFileSync(kept(), 'utf8')) as object;
    const nothing = JSON.stringify({ ...record, shape: shapeOf(parseText('{}').root, '{}') });
    writeFileSync(kept(), nothing);
    expect((await load()).config.servers).toHaveLength(0);
    expect((await load('2')).config.servers).toHaveLength(1);
    writeFileSync(kept(), nothing);
    writeFileSync(file(), `${text} `);
    expect((await load()).config.servers).toHaveLength(1);
  });

  it('is limited in size', () => {
    const state = join(directory, 'state');
    const memory = openShapeMemory(state, '1');
    for (let i = 0; i < 1001; i += 1) memory.keep(`/file-${String(i)}`, 'a', [6, 0, 0, 0, 0]);
    expect(readdirSync(join(state, 'configs'))).toHaveLength(1);
    expect(memory.recall('/file-1000', 'a')).toEqual([6, 0, 0, 0, 0]);
    expect(memory.recall('/file-999', 'a')).toBeUndefined();
  });

  it('has no effect if it is damaged or cannot be written', async () => {
    writeFileSync(file(), text);
    await load();
    const whole = readFileSync(kept(), 'utf8');
    for (const damage of [
      '',
      whole.slice(0, -1),
      `${whole}${whole.slice(-20)}`,
      '[]',
      '{"shape":[1,2]}',
      readFileSync(kept(), 'utf8').replace(/\d+\]/, '"x"]'),
    ]) {
      writeFileSync(kept(), damage);
      expect((await load()).config.servers).toHaveLength(1);
    }
    rmSync(join(directory, 'state'), { recursive: true });
    writeFileSync(join(directory, 'state'), 'in the way');
    expect((await load()).config.servers).toHaveLength(1);
  });
});
