import { describe, expect, it } from 'vitest';
import { type KnownTool, profileWarnings } from './profile-warnings.js';
import { resolveProfiles } from './resolve-profiles.js';

const tools: readonly KnownTool[] = [
  { name: 'Read', localName: 'Read', source: 'builtin', tier: 1 },
  { name: 'Bash', localName: 'Bash', source: 'builtin', tier: 3 },
  { name: 'github_create_issue', localName: 'create_issue', source: 'server:github' },
];
const isBuiltin = (name: string) => name === 'Read' || name === 'Bash';
const nearest = (word: string, known: readonly string[]) =>
  known.find((one) => one.startsWith(word.slice(0, 8)));

function warnings(entries: readonly string[]): readonly string[] {
  const all = resolveProfiles([{ name: 'mine', extends: 'coding', tools: entries }], { isBuiltin });
  expect(all.problems).toEqual([]);
  return profileWarnings(all, tools, nearest).map(
    ({ path, message, remedy = '' }) => `${String(path.at(-1))} ${message} ${remedy}`,
  );
}

describe('an entry that matches no tool', () => {
  it('is reported with the nearest name, including blocks', () => {
    expect(
      warnings([
        'github_create_isue',
        '!github_delete_*',
        'server:githob',
        'server:github/create_isue',
        'tier:2',
      ]),
    ).toEqual([
      '0 "github_create_isue" matches no tool that exists now. Did you mean `github_create_issue`?',
      '1 "!github_delete_*" matches no tool that exists now. ',
      '2 "server:githob" matches no tool that exists now. Did you mean `server:github`?',
      '3 "server:github/create_isue" matches no tool that exists now. Did you mean `server:github/create_issue`?',
      '4 "tier:2" matches no tool that exists now. ',
    ]);
  });

  it('is not reported if it matches, or is in a built-in profile', () => {
    const fitting = [
      'Read',
      'Ba*',
      '!Bash',
      'github_*',
      'server:github',
      'server:github/create_issue',
      'tier:3',
      '*',
    ];
    expect(warnings(fitting)).toEqual([]);
    expect(warnings([])).toEqual([]);
  });

  it('is reported once per profile, and for the rules of one principal', () => {
    const all = resolveProfiles(
      [
        { name: 'a', tools: ['gone'] },
        { name: 'b', extends: 'a', tools: [] },
      ],
      { isBuiltin, principals: [{ principal: 'agent:alice', add: ['lost'], remove: ['gone'] }] },
    );
    const found = profileWarnings(all, tools, () => undefined);
    expect(found.map(({ path }) => path.join('.'))).toEqual([
      'profiles.a.tools.0',
      'principals.agent:alice.add.0',
      'principals.agent:alice.remove.0',
    ]);
    expect(
      found.every(({ code, severity }) => code === 'profiles.unknown_tool' && severity === 'warning'),
    ).toBe(true);
  });

  it('gets a suggestion only for the first few, because searching thousands of tools is slow', () => {
    const many = Array.from({ length: 4_000 }, (_, at) => `gone${String(at)}`);
    let asked = 0;
    const all = resolveProfiles([{ name: 'a', tools: many }], { isBuiltin });
    const found = profileWarnings(all, tools, () => {
      asked += 1;
      return undefined;
    });
    expect({ warnings: found.length, asked }).toEqual({ warnings: 100, asked: 20 });
  });
});
