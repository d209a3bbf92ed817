import { describe, expect, it } from 'vitest';
import { mcp } from './commands/gateway/mcp.js';
import { parsePlain } from './fast-path.js';

describe('parsePlain', () => {
  it.each([
    [[], {}],
    [['--config', 'a.yaml'], { config: 'a.yaml' }],
    [['--via=http://h/?a=b', '--token', 't'], { via: 'http://h/?a=b', token: 't' }],
  ])('reads %j', (words, options) => {
    expect(parsePlain(mcp, words)).toEqual({ arguments: [], options });
  });

  it.each([
    [['--help']],
    [['--confg', 'x']],
    [['--config']],
    [['--config', '--via']],
    [['--config=']],
    [['extra']],
    [['--json']],
  ])('leaves %j to the parser', (words) => {
    expect(parsePlain(mcp, words)).toBeUndefined();
  });
});
