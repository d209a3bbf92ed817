import { describe, expect, it } from 'vitest';
import { shellWord } from './shell-word.js';

describe('[15.40] a path in a command to paste', () => {
  it.each([
    ['/home/ada/a-b_c@1:2+3.yaml', '/home/ada/a-b_c@1:2+3.yaml'],
    ['/tmp/a b', "'/tmp/a b'"],
    ['/tmp/$(reboot);`x`', "'/tmp/$(reboot);`x`'"],
    ["/tmp/it's", String.raw`'/tmp/it'\''s'`],
    ['/tmp/\u001b[2J\n', String.raw`'/tmp/\u001b[2J\u000a'`],
    ['', "''"],
  ])('spells %j as %s', (path, word) => {
    expect(shellWord(path)).toBe(word);
  });
});
