import { describe, expect, it } from 'vitest';
import { createOutput, type Sink } from './output.js';

describe('createOutput', () => {
  it.each([
    ['a terminal', { isTerminal: true }, true],
    ['a terminal with NO_COLOR', { isTerminal: true, hasColours: false }, false],
    ['a pipe', { isTerminal: false }, false],
    ['JSON', { isTerminal: true, isJson: true }, false],
  ])('writes to %s', (_where, circumstances, isColoured) => {
    const { output } = open(circumstances);
    expect(output.paint('red', 'x')).toBe(isColoured ? '\u001b[31mx\u001b[0m' : 'x');
  });

  it('aligns columns, with or without colors', () => {
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

  it('cuts very long names in tables and errors, but not in JSON', () => {
    const name = 'n'.repeat(200_000);
    const { output, said } = open({});
    output.table([
      ['NAME', 'STATE'],
      [name, 'ready'],
    ]);
    output.error({
      code: 'server.not_found',
      message: `Unknown server: ${name}.`,
      next: 'x',
      problems: [name],
    });
    expect(said.out.length).toBeLessThan(300);
    expect(said.out).toContain('n… (200000 characters)  ready');
    expect(said.err.length).toBeLessThan(300);
    const painted = open({ isTerminal: true, hasColours: true, columns: 200 });
    painted.output.table([[painted.output.paint('bold', name), 'ready']]);
    expect(painted.said.out).toMatch(/^\u001b\[1mn+… \(\d+ characters\)\u001b\[0m/);
    const json = open({ isJson: true });
    json.output.json({ name });
    expect(json.said.out).toContain(name);
  });

  it('wraps prose on a terminal only, and never breaks commands', () => {
    const next = 'tidegate trust /a/path/of/some/length/tidegate.yaml';
    const tell = ({ output }: Pick<ReturnType<typeof open>, 'output'>): void => {
      output.say('a sentence of the result that goes on');
      output.note(`read it, then: ${next}`);
      output.error({ code: 'a.code', message: 'what is wrong, in more words than fit', next });
    };
    const terminal = open({ isTerminal: true, hasColours: false, columns: 30 });
    tell(terminal);
    expect(terminal.said).toEqual({
      out: 'a sentence of the result that\n  goes on\n',
      err: `read it, then:\n  ${next}\nerror a.code: what is wrong,\n  in more words than fit\nnext:\n  ${next}\n`,
    });
    const pipe = open({ columns: 30 });
    tell(pipe);
    expect(pipe.said.err).toBe(
      `read it, then: ${next}\nerror a.code: what is wrong, in more words than fit\nnext: ${next}\n`,
    );
  });

  it('prints either text or JSON', () => {
    const text = open({});
    const json = open({ isJson: true });
    for (const { output } of [text, json]) {
      output.line('for people');
      output.json({ for: 'programs' });
    }
    expect(text.said.out).toBe('for people\n');
    expect(JSON.parse(json.said.out)).toEqual({ for: 'programs' });
  });

  it('escapes text that could deceive the reader of a terminal', () => {
    const text = open({});
    text.output.note('two\nlines \u009b \u202e');
    expect(text.said.err).toBe('two\nlines \\u009b \\u202e\n');
    const json = open({ isJson: true });
    json.output.json({ a: '\u009b\u202e' });
    json.output.jsonText('{"b":"\u009b\u200b"}');
    json.output.error({ code: 'x', message: '\u2066' });
    expect(json.said.out).not.toMatch(/[\u0080-\u009f\u200b\u202e\u2066]/);
    expect(json.said.out).toContain('{"b":"\\u009b\\u200b"}\n');
  });

  it('shows errors with their code and the next step', () => {
    const { output, said } = open({});
    output.error({
      code: 'tool.not_found',
      message: 'bad\u001b[2J',
      next: 'tidegate tools list',
      problems: ['one\n\u009b'],
    });
    expect(said).toEqual({
      out: '',
      err: 'one\\u000a\\u009b\nerror tool.not_found: bad\\u001b[2J\nnext: tidegate tools list\n',
    });
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
