import { describe, expect, it } from 'vitest';
import { commands } from '../index.js';
import { everyCode, isLikeCode } from './explained-code.js';

const codes = await everyCode();

describe('the codes', () => {
  it('are each defined once', () => {
    const names = codes.map(({ code }) => code);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it('are all recognized as codes', () => {
    expect(codes.filter(({ code }) => !isLikeCode(code))).toEqual([]);
  });

  it.each(codes)('$code says what it means and what to do, in whole sentences', ({ meaning, remedy }) => {
    expect(meaning).toMatch(/^[A-Z`].{5,}\.$/);
    expect(remedy).toMatch(/^[A-Z`].{5,}\.$/);
  });

  it('of calls tell a model to ask a person if only a person can fix it', () => {
    const told = codes.filter(({ area, remedy }) => area === 'call' && /`(tidegate|servers)/.test(remedy));
    expect(told.map(({ code }) => code)).toContain('provider.untrusted');
    expect(told.filter(({ remedy }) => !/operator|person/.test(remedy))).toEqual([]);
  });

  const typed = codes.flatMap(({ code, remedy }) =>
    [...remedy.matchAll(/`(tidegate [^`]+)`/g)].map(([, line = '']) => ({ code, line })),
  );
  it.each(typed)('$code names a command that exists: $line', ({ line }) => {
    const words = line.split(' ').slice(1);
    const command = commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
    const options = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
    const known = [...(command?.options ?? []).map(({ name }) => name), 'help', 'json'];
    if (words[0]?.startsWith('--') === true) expect(words).toEqual(['--help']);
    else {
      expect(command, line).toBeDefined();
      expect(options.filter((option) => !known.includes(option))).toEqual([]);
      // Every other word must be an argument of the command.
      const own = words.slice(command?.name.split(' ').length);
      const isValue = (at: number): boolean => /^--/.test(own[at - 1] ?? '');
      const loose = own.filter((word, at) => !word.startsWith('-') && !isValue(at));
      expect(loose.length, line).toBeLessThanOrEqual(command?.arguments?.length ?? 0);
    }
  });
});
