import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTypedPlace } from '../../typed.fixture.js';

const typed = openTypedPlace();
afterAll(() => typed.close());
beforeAll(() => typed.write('notes.txt', 'one\ntwo\n'));

describe('tools show', () => {
  it('shows the facts, arguments and result of a tool', async () => {
    const { code, out } = await typed.type(['tools', 'show', 'Read']);
    expect(code).toBe(0);
    expect(out).toMatch(/^Read {2}Read a file\n\nsource {2}builtin\neffect {2}read\nhints {3}read-only, /);
    expect(out).toContain('\ntier    1, files and code intelligence\nneeds   files\n');
    expect(out).toMatch(/\nArguments\n {2}file_path +string, required\n/);
    expect(out).toContain('also: path, filePath, ');
    expect(out).toMatch(/\nResult\n {2}file_path +string, always\n/);
  });

  it('returns the same as JSON, with the definition that agents get', async () => {
    const { out, err } = await typed.type(['tools', 'show', 'Read', '--json']);
    expect(err).toBe('');
    expect(JSON.parse(out)).toMatchObject({
      source: 'builtin',
      effect: 'read',
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      tier: 1,
      needs: ['files'],
      optional: [],
      aliases: { file_path: expect.arrayContaining(['path']) },
      definition: { name: 'Read', outputSchema: { type: 'object' } },
    });
  });
});

describe('tools call', () => {
  it('[16.17] reports an unknown argument of a read tool in the result', async () => {
    const wrong = await typed.type(['tools', 'call', 'Read', 'path=notes.txt', 'ofset=2']);
    expect(wrong.code).toBe(0);
    expect(wrong.out).toContain('one');
    expect(wrong.out).toContain('Unknown arguments were ignored: "ofset" (did you mean "offset"?).');
    const right = await typed.type(['tools', 'call', 'Read', '{"path":"notes.txt","offset":2}']);
    expect(right).toMatchObject({ code: 0, err: '' });
    expect(right.out).not.toContain('one');
  });

  it('[16.17] reports it in the structured result too', async () => {
    const { out } = await typed.type(['tools', 'call', 'Read', 'path=notes.txt', 'ofset=2', '--json']);
    expect(JSON.parse(out)).toMatchObject({
      structuredContent: { ignored_arguments: ['"ofset" (did you mean "offset"?)'] },
    });
  });
});
