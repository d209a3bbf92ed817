import { describe, expect, it } from 'vitest';
import type { Input } from '../../command.js';
import { argumentsText } from './tool-arguments.js';

const fields = [
  { name: 'path', type: 'string', isText: true, isRequired: true, about: '', spellings: ['file'] },
  { name: 'lines', type: 'number', isText: false, isRequired: false, about: '', spellings: [] },
];

describe('argumentsText', () => {
  it.each([
    [[], '{}'],
    [['{"a": 1e400, "n": 12345678901234567890}'], '{"a": 1e400, "n": 12345678901234567890}'],
    [['-'], '{"from": "stdin"}'],
    [['path=12', 'lines=12'], '{"path":"12","lines":12}'],
    [['file=12'], '{"file":"12"}'],
    [['path=a=b "c"'], '{"path":"a=b \\"c\\""}'],
    [['other={"x":[1]}'], '{"other":{"x":[1]}}'],
    [['other=plain words'], '{"other":"plain words"}'],
    [['path='], '{"path":""}'],
  ])('reads %j', async (words, text) => {
    expect(await argumentsText(words, { name: 'Read', fields }, input)).toBe(text);
  });

  it.each([[['[1]']], [['{"a":']], [['{}', 'a=1']], [['a=1', 'a=2']], [['=x']], [['-', 'a=1']]])(
    'refuses %j',
    async (words) => {
      await expect(argumentsText(words, { name: 'Read', fields }, input)).rejects.toThrow();
    },
  );
});

const input: Input = {
  isTerminal: false,
  readAll: () => Promise.resolve('{"from": "stdin"}\n'),
  ask: () => Promise.resolve(''),
};
