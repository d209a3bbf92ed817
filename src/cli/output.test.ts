import { describe, expect, it } from 'vitest';
import { createOutput, printable, printableLines, type Sink } from './output.js';

describe('createOutput', () => {
  it.each([
    ['a terminal', { isTerminal: true }, true],
    ['a terminal of someone who wants no colours', { isTerminal: true, hasColours: false }, false],
    ['a pipe', { isTerminal: false }, false],
    ['JSON', { isTerminal: true, isJson: true }, false],
  ])('writes to %s', (_where, circumstances, isColoured) => {
    const { output } = open(circumstances);
    expect(output.paint('red', 'x')).toBe(isColoured ? '\u001b[31mx\u001b[0m' : 'x');
  });

  it('puts columns under each other, also where there are colours', () => {
    const { output, said } = open({ isTerminal: true });
    output.table([
      [output.paint('bold', 'a'), 'b', 'c'],
      ['long', output.paint('red', 'x'), ''],
    ]);
    expect(said.out.replaceAll(/\u001b\[\d+m/g, '')).toBe('a     b  c\nlong  x\n');
  });

  it('cuts the last column on a terminal only', () => {
    const row = ['name', 'x'.repeat(100)];
    const terminal = open({ isTerminal: true, columns: 40 });
    terminal.output.table([row]);
    expect(terminal.said.out).toBe(`name  ${'x'.repeat(33)}…\n`);
    const pipe = open({ isTerminal: false, columns: 40 });
    pipe.output.table([row]);
    expect(pipe.said.out).toBe(`name  ${'x'.repeat(100)}\n`);
  });

  it('gives either text or JSON', () => {
    const text = open({});
    const json = open({ isJson: true });
    for (const { output } of [text, json]) {
      output.line('for people');
      output.json({ for: 'programs' });
    }
    expect(text.said.out).toBe('for people\n');
    expect(JSON.parse(json.said.out)).toEqual({ for: 'programs' });
  });

  it('shows errors with their code and the next step', () => {
    const { output, said } = open({});
    output.error({
      code: 'tool.not_found',
      message: 'bad\u001b[2J',
      next: 'tidegate tools list',
      problems: ['one'],
    });
    expect(said).toEqual({
      out: '',
      err: 'one\nerror tool.not_found: bad\\u001b[2J\nnext: tidegate tools list\n',
    });
  });
});

describe('printable', () => {
  it.each([
    ['\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['a\u202eb', 'a\\u202eb'],
    ['zero\u200bwidth', 'zero\\u200bwidth'],
    ['lone \ud800', 'lone \\ud800'],
    ['plain ü 漢 🙂', 'plain ü 漢 🙂'],
  ])('spells out what could fool a reader: %j', (text, safe) => {
    expect(printable(text)).toBe(safe);
  });

  it('keeps the lines of a text', () => {
    expect(printableLines('a\n\tb\r')).toBe('a\n\tb\\u000d');
  });
});

interface Circumstances {
  readonly isTerminal?: boolean;
  readonly isJson?: boolean;
  readonly hasColours?: boolean;
  readonly columns?: number;
}

function open({ isTerminal = false, isJson = false, hasColours = true, columns = 80 }: Circumstances): {
  readonly output: ReturnType<typeof createOutput>;
  readonly said: { out: string; err: string };
} {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err'): Sink => ({
    write: (text) => void (said[name] += text),
    isTerminal,
    columns,
  });
  return { output: createOutput(sink('out'), sink('err'), isJson, hasColours), said };
}
