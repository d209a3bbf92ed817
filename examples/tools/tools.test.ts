import { callTool, createFakeFiles } from 'tidegate/testing';
import { expect, test } from 'vitest';
import longestLine from './longest-line.tool.js';
import todoList from './todo-list.tool.js';
import wordCount from './word-count.tool.js';

test('counts words', async () => {
  const { data, text } = await callTool(wordCount, { text: 'one two  three' });
  expect(data).toEqual({ words: 3 });
  expect(text).toBe('3 words');
});

test('finds open tasks', async () => {
  const files = createFakeFiles({ 'plan.md': '# Plan\n- [x] think\n- [ ] build\n' });
  const { data } = await callTool(todoList, { path: 'plan.md' }, { ports: { files } });
  expect(data).toEqual({ open: [{ line: 3, text: 'build' }] });
});

test('finds the longest line', async () => {
  const files = createFakeFiles({ a: 'short\n', b: 'x\nmuch longer\n' });
  const { text } = await callTool(longestLine, { files: ['a', 'b'] }, { ports: { files } });
  expect(text).toBe('b:2 has 11 characters');
});
