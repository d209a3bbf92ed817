import { describe, expect, it } from 'vitest';
import { addServers, CannotAdd, serversOf } from './add-servers.js';

const one = {
  name: 'new',
  entry: { command: 'npx', args: ['-y', '@a/b', '${X}'], env: { K: 'a: b # c' } },
  comment: 'from Codex',
};

describe('adding servers to a file', () => {
  it.each([
    ['nothing', '', 'servers:\n  # from Codex\n  new:\n'],
    ['comments', '# hello\n', '# hello\nservers:\n  # from Codex\n  new:\n'],
    [
      'other keys',
      'log:\n  level: warn # why\n',
      'log:\n  level: warn # why\n\nservers:\n  # from Codex\n  new:\n',
    ],
    ['an empty key', 'servers:\n# end\nlog: {}\n', 'servers:\n  # from Codex\n  new:\n'],
    [
      'servers',
      'servers:\n    a: { command: x } # keep\n\n# end\nlog: {}\n',
      'servers:\n    a: { command: x } # keep\n    # from Codex\n    new:\n',
    ],
    [
      'servers with tables',
      'servers:\n  a:\n    command: x\n    env:\n      K: |\n        text\n        more\nlog: {}\n',
      '        more\n  # from Codex\n  new:\n',
    ],
    ['no end of line', 'servers:\n  a:\n    command: x', 'command: x\n  # from Codex\n  new:\n'],
  ])('keeps %s byte for byte', (_, text, part) => {
    const next = addServers(text, [one]);
    expect(next).toContain(part);
    // What was there is there still, in its order.
    let at = 0;
    for (const line of text.split('\n').filter((piece) => piece !== '')) {
      at = next.indexOf(line, at);
      expect(at, line).toBeGreaterThanOrEqual(0);
    }
    expect(serversOf(next)['new']).toEqual(one.entry);
  });

  it.each([
    '{"builtins": []}',
    '{"servers": {}}',
    '{"servers": {"a": {"command": "x"}}, "log": {}}',
    'servers: {a: {command: x},}\n',
  ])('works in %s', (text) => {
    expect(serversOf(addServers(text, [one, { ...one, name: 'other' }]))).toMatchObject({
      new: one.entry,
      other: one.entry,
    });
  });

  it('keeps Windows line endings', () => {
    expect(addServers('servers:\r\n  a: { command: x }\r\n', [one])).not.toMatch(/[^\r]\n/);
  });

  it('refuses a file that it cannot add to', () => {
    for (const text of ['servers: [a]\n', '- a\n', 'servers:\n  a: *nowhere\n', 'a: 1\n...\n---\nb: 2\n'])
      expect(() => addServers(text, [one]), text).toThrow(CannotAdd);
  });
});
