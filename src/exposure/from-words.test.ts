import { describe, expect, it } from 'vitest';
import type { ToolSpec } from '../core/index.js';
import { fromWords } from './from-words.js';

function tool(source: string, reach?: 'open'): ToolSpec {
  return { kind: 'tool', source, ...(reach && { reach }) } as unknown as ToolSpec;
}

describe('the source label of a tool', () => {
  it('is one word, with its kind only if the word is ambiguous', () => {
    const tools = [
      tool('builtin'),
      tool('builtin', 'open'),
      tool('workspace'),
      tool('server:git'),
      tool('server:search'),
      tool('server:builtin'),
      tool('server:both'),
      tool('plugin:both'),
    ];
    expect(tools.map(fromWords(tools))).toEqual([
      'builtin',
      'search',
      'workspace',
      'git',
      'server:search',
      'server:builtin',
      'server:both',
      'plugin:both',
    ]);
  });
});
