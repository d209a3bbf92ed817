import { describe, expect, it } from 'vitest';
import { beginAttempt } from './attempt.js';
import { content, faulted, type Request, type Wanted } from './call.js';
import { createFault } from './fault.js';
import { JsonText } from '../lib/json-text.js';

const tool: Wanted = { kind: 'tool', name: 'x' };
const says = (text: string) => content(new JsonText(text));

describe('an attempt', () => {
  it.each([
    ['a tool that failed', tool, says('{"content":[],"isError":true}'), true],
    ['a tool with an escaped key', tool, says('{"\\u0069sError":true}'), true],
    ['a tool that did not fail', tool, says('{"content":[],"isError":false}'), false],
    [
      'a tool that only mentions it',
      tool,
      says('{"content":[{"type":"text","text":"\\"isError\\":true"}]}'),
      false,
    ],
    ['no object', tool, says('["isError"]'), false],
    ['a fault', tool, faulted(createFault('internal', 'no')), false],
    ['a resource', { kind: 'resource', uri: 'a:b' }, says('{"isError":true}'), false],
  ] as const)('knows whether the tool reported an error: %s', (_what, wanted, outcome, expected) => {
    const request = { wanted } as unknown as Request;
    expect(beginAttempt(request, (text) => text).end(outcome, undefined, 0).isToolError).toBe(expected);
  });
});
