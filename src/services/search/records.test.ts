import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPathReader, createRecordReader } from './records.js';

type Read = readonly [kind: 'line' | 'same' | 'binary', path: string, text?: string];

function readAll(bytes: Buffer, cuts: readonly number[]): readonly Read[] {
  const read: Read[] = [];
  const reader = createRecordReader({
    onRecord: ({ bytes: whole, from, nul, end, isCut, isSame }) =>
      read.push([
        isSame ? 'same' : 'line',
        whole.toString('latin1', from, nul),
        isCut ? '(cut)' : whole.toString('latin1', nul + 1, end),
      ]),
    onBinary: (path) => read.push(['binary', path.toString('latin1')]),
  });
  let from = 0;
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    reader.push(bytes.subarray(from, cut));
    from = Math.max(from, cut);
  }
  reader.end();
  return read;
}

const binary = ': binary file matches (found "\\0" byte around offset 7)\n';
const stopped =
  ': WARNING: stopped searching binary file after match (found "\\0" byte around offset 70000)\n';

describe('records', () => {
  it('are read for any names and lines', () => {
    const text = `./a\n1:b\u000012:x\n./bin${binary}./c\u00003-\0y\n./late${stopped}`;
    expect(readAll(Buffer.from(text, 'latin1'), [])).toEqual([
      ['line', './a\n1:b', '12:x'],
      ['binary', './bin'],
      ['line', './c', '3-\0y'],
      ['binary', './late'],
    ]);
  });

  it('are the same wherever the stream is cut', () => {
    const name = fc.stringMatching(/^[a\n:é ]{1,2}$/);
    const line = fc.stringMatching(/^\d[:-][a\0:é ]{0,6}$/);
    const record = fc.oneof(
      fc.tuple(name, line).map(([path, text]): Read => ['line', `./${path}`, text]),
      fc.stringMatching(/^[a: ]{1,6}$/).map((path): Read => ['binary', `./${path}`]),
    );
    fc.assert(
      fc.property(fc.array(record), fc.array(fc.nat(200)), (records, cuts) => {
        const texts = records.map(([kind, path, text]) =>
          kind === 'line' ? `${path}\0${text ?? ''}\n` : `${path}${binary}`,
        );
        const bytes = Buffer.from(texts.join(''), 'latin1');
        const expected = records.map(([kind, path, text], at): Read => {
          const [kindBefore, pathBefore] = records[at - 1] ?? [];
          const isSame = kind === 'line' && kindBefore === 'line' && pathBefore === path;
          return text === undefined ? [kind, path] : [isSame ? 'same' : kind, path, text];
        });
        expect(
          readAll(
            bytes,
            cuts.filter((cut) => cut < bytes.length),
          ),
        ).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('of endless lines are cut, and the next one is read again', () => {
    const long = 'x'.repeat(1_000_000);
    const bytes = Buffer.from(`./a\u00001:${long}\n./a\u00002:z\n./b\u00002:y\n`, 'latin1');
    const cuts = Array.from({ length: 15 }, (_, at) => (at + 1) * 64 * 1024);
    expect(readAll(bytes, cuts)).toEqual([
      ['line', './a', '(cut)'],
      ['same', './a', '2:z'],
      ['line', './b', '2:y'],
    ]);
  });

  it('without a name are dropped without being stored', () => {
    expect(readAll(Buffer.alloc(1_000_000, 'x'), [70_000, 200_000])).toEqual([]);
  });
});

it('paths are read wherever the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a\né]{1,5}$/)), fc.array(fc.nat(100)), (paths, cuts) => {
      const bytes = Buffer.from(paths.map((path) => `${path}\0`).join(''));
      const read: string[] = [];
      const push = createPathReader((whole, start, end) => read.push(whole.toString('utf8', start, end)));
      let from = 0;
      for (const cut of [...cuts.filter((at) => at < bytes.length), bytes.length].sort((a, b) => a - b)) {
        push(bytes.subarray(from, cut));
        from = cut;
      }
      expect(read).toEqual(paths);
    }),
  );
});
