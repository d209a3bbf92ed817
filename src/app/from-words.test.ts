import { describe, expect, it } from 'vitest';
import type { ToolSpec } from '../kernel/index.js';
import { fromWords } from './from-words.js';

function tool(source: string, reach?: 'open'): ToolSpec {
  return { kind: 'tool', source, ...(reach && { reach }) } as unknown as ToolSpec;
}

describe('where a tool comes from', () => {
  it('is said in one word, with the kind before it only where the word would stand for two', () => {
    const tools = [
      tool('builtin'),
      tool('builtin', 'open'),
      tool('workspace'),
      tool('server:git'),
      tool('server:surface'),
      tool('server:builtin'),
      tool('server:both'),
      tool('plugin:both'),
    ];
    expect(tools.map(fromWords(tools))).toEqual([
      'builtin',
      'surface',
      'workspace',
      'git',
      'server:surface',
      'server:builtin',
      'server:both',
      'plugin:both',
    ]);
  });
});
