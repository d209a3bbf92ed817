import { expect, it } from 'vitest';
import { JsonText } from '../../lib/json-text.js';
import type { ToolSpec } from '../../core/index.js';
import { createMemberships } from './memberships.js';

function tool(server: string, name: string): ToolSpec {
  const more = { effect: 'read', hints: {}, definition: JsonText.from({ name }) } as const;
  return { kind: 'tool', name, localName: name, source: `server:${server}`, ...more };
}

it('tools with the same derived tuples are in one class', () => {
  const memberships = createMemberships(['a*']);
  const classOf = (spec: ToolSpec) => memberships.classOf(memberships.objectOf(spec));
  expect(classOf(tool('one', 'b'))).toBe(classOf(tool('one', 'c')));
  expect(classOf(tool('one', 'b'))).not.toBe(classOf(tool('one', 'a1')));
  expect(classOf(tool('one', 'b'))).not.toBe(classOf(tool('two', 'b')));
});

it('a class number is never reused, even if a server keeps renaming its tools', () => {
  const memberships = createMemberships([]);
  const classOf = (spec: ToolSpec) => memberships.classOf(memberships.objectOf(spec));
  const granted = classOf(tool('good', 'one'));
  for (let at = 0; at < 200_001; at += 1) memberships.objectOf(tool('churn', `t${String(at)}`));
  // The first class was evicted by now, so a tool gets the next number, not the first.
  expect(classOf(tool('secret', 'one'))).not.toBe(granted);
  expect(classOf(tool('good', 'one'))).not.toBe(classOf(tool('secret', 'one')));
});
