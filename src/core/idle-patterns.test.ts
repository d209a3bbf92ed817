import { describe, expect, it } from 'vitest';
import { idlePatternLines } from './idle-patterns.js';

const names = ['Read', 'Bash', 'find_files', 'find_text'];

describe('patterns that match no tool', () => {
  it.each([
    [['Read'], []],
    [['find_*', '!Bash'], []],
    [['*'], []],
    [['Raed'], ['--tools: no tool is called Raed. Did you mean "Read"?']],
    [['read'], ['--tools: no tool is called read. Did you mean "Read"?']],
    [['!Bsh', 'Read'], ['--tools: no tool is called !Bsh. Did you mean "Bash"?']],
    [['fidn_*'], ['--tools: no tool is called fidn_*. Did you mean "find_files"?']],
    [['zzz*', 'w?', '?*x'], ['zzz*', 'w?', '?*x'].map((one) => `--tools: no tool is called ${one}.`)],
  ])('are reported: %j', (patterns, lines) => {
    expect(idlePatternLines(patterns, names)).toEqual(lines);
  });

  it('are reported if there are no tools at all', () => {
    expect(idlePatternLines(['Read'], [])).toEqual(['--tools: no tool is called Read.']);
  });
});
