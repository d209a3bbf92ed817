import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { count } from '../../test/support/counts.js';
import { hasErrors, loadProfiles, type LoadedProfiles } from './index.js';

const directory = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-profiles-')));
afterAll(() => rmSync(directory, { recursive: true }));

const load = (text: string): Promise<LoadedProfiles> => loadProfiles(join(directory, 'profiles.yaml'), text);

async function places(text: string): Promise<readonly string[]> {
  const { problems } = await load(text);
  return problems.map(({ code, line, column, path }) => `${line}:${column} ${code} ${path}`);
}

async function loadBytes(bytes: Uint8Array): Promise<readonly string[]> {
  const file = join(directory, 'bytes.yaml');
  writeFileSync(file, bytes);
  return (await loadProfiles(file)).problems.map(({ code }) => code);
}

const sample = `default_profile: minimal
profiles:
  minimal:
    description: Read-only files
    tools: [Read, Glob, "!Grep"]

  coding:
    extends: minimal
    tools:
      - Write
      - find_*
      - 12
    see_only: ["server:github"]
  both: {extends: [minimal, coding]}
  empty:
principals:
  agent:alice: {profile: coding, add: [Bash], remove: ["x_*"]}
  "service:ci":
`;

describe('a profiles file', () => {
  it('returns its content, with line numbers', async () => {
    const loaded = await load(sample);
    expect(loaded.problems).toEqual([]);
    expect(loaded.defaultProfile).toBe('minimal');
    expect(loaded.profiles).toEqual([
      {
        name: 'minimal',
        description: 'Read-only files',
        extends: [],
        tools: ['Read', 'Glob', '!Grep'],
        seeOnly: [],
        line: 3,
      },
      {
        name: 'coding',
        extends: ['minimal'],
        tools: ['Write', 'find_*', '12'],
        seeOnly: ['server:github'],
        line: 7,
      },
      { name: 'both', extends: ['minimal', 'coding'], tools: [], seeOnly: [], line: 14 },
      { name: 'empty', extends: [], tools: [], seeOnly: [], line: 15 },
    ]);
    expect(loaded.principals).toEqual([
      { principal: 'agent:alice', profile: 'coding', add: ['Bash'], remove: ['x_*'] },
      { principal: 'service:ci', add: [], remove: [] },
    ]);
    expect(loaded.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('may be empty', async () => {
    for (const text of ['', '# nothing\n', '{}', 'profiles:\n', 'profiles: {}\nprincipals:\n']) {
      expect(await load(text)).toMatchObject({ problems: [], profiles: [], principals: [] });
    }
  });

  it('ignores the environment, so its hash covers everything', async () => {
    const { problems, profiles } = await load('profiles: {a: {tools: ["${HOME}", "$${x}"]}}');
    expect(problems).toEqual([]);
    expect(profiles[0]?.tools).toEqual(['${HOME}', '$${x}']);
  });

  it('provides positions for problems that other checks find', async () => {
    const { problemAt, file } = await load(sample);
    const at = (...path: readonly (string | number)[]) => {
      const problem = problemAt({ code: 'profiles.bad_entry', path, message: 'No.' });
      return `${String(problem.line)}:${String(problem.column)} ${problem.path}`;
    };
    expect(at('profiles', 'coding', 'tools', 1)).toBe('11:9 profiles.coding.tools[1]');
    expect(at('profiles', 'coding', 'extends')).toBe('8:5 profiles.coding.extends');
    expect(at('profiles', 'both')).toBe('14:3 profiles.both');
    expect(at('principals', 'agent:alice', 'add', 0)).toBe('17:40 principals["agent:alice"].add[0]');
    expect(at('profiles', 'gone', 'tools', 7)).toBe('2:1 profiles.gone.tools[7]');
    const warned = problemAt({
      code: 'profiles.unknown_tool',
      severity: 'warning',
      path: [],
      message: 'No.',
    });
    expect(warned).toMatchObject({ file, severity: 'warning', remedy: expect.stringContaining('Correct') });
  });

  it('is read through a link, under its real path', async () => {
    const file = join(directory, 'real.yaml');
    writeFileSync(file, 'profiles: {a: {tools: [Read]}}');
    symlinkSync(file, join(directory, 'link.yaml'));
    expect((await loadProfiles(join(directory, 'link.yaml'))).file).toBe(file);
  });
});

describe('a problem in a profiles file', () => {
  it.each<readonly [string, readonly string[]]>([
    ['profile: {}', ['1:1 config.unknown_key profile']],
    ['profiles: [a]', ['1:11 config.wrong_type profiles']],
    ['profiles: {a: {tool: [x]}}', ['1:16 config.unknown_key profiles.a.tool']],
    ['profiles: {a: {tools: Read}}', ['1:23 config.wrong_type profiles.a.tools']],
    ['profiles: {a: {tools: [[x]]}}', ['1:24 config.wrong_type profiles.a.tools[0]']],
    ['profiles: {a: {tools: [x, ]}, "b c": {}}', ['1:31 config.bad_name profiles["b c"]']],
    ['profiles: {a: {extends: {b: c}}}', ['1:25 config.wrong_type profiles.a.extends']],
    ['profiles: {a: {extends: 1}}', ['1:25 config.wrong_type profiles.a.extends']],
    ['profiles: {a: {tools: ["x\\0y"]}}', ['1:24 config.bad_value profiles.a.tools[0]']],
    ['principals: {alice: {}}', ['1:14 config.bad_name principals.alice']],
    ['profiles: {a: {}, a: {}}', ['1:19 config.duplicate_key a']],
    [
      'default_profile: [a]\nprofiles: {a: {tools: {}}}',
      ['1:18 config.wrong_type default_profile', '2:23 config.wrong_type profiles.a.tools'],
    ],
    ['profiles: {a: {tools: [!Bash]}}', ['1:24 config.syntax ']],
    ['profiles:\n  a:\n    tools:\n      - ! Bash\n', ['4:11 config.syntax ']],
    ['profiles: {a: {tools: [*]}}', ['1:24 config.syntax ']],
    ['profiles: {a: {tools: [*_x]}}', ['1:24 config.syntax ', '1:24 config.wrong_type profiles.a.tools[0]']],
    ['profiles: {a: ', ['1:15 config.syntax ']],
    ['a: 1\n---\nb: 2\n', ['2:1 config.syntax ']],
  ])('%j', async (text, expected) => {
    expect(await places(text)).toEqual(expected);
  });

  it.each(['[!Bash]', '[! Bash]', '[*]', '[*_x]'])('suggests quotes for %s', async (list) => {
    const { problems } = await load(`profiles: {a: {tools: ${list}}}`);
    expect(problems[0]?.remedy).toMatch(/quotes around text that starts with `[!*]`/);
  });

  it('is reported if the file cannot be read', async () => {
    const { problems, sha256 } = await loadProfiles(join(directory, 'absent.yaml'));
    expect(problems.map(({ code }) => code)).toEqual(['config.unreadable']);
    expect(sha256).toBeUndefined();
    expect((await loadProfiles(directory)).problems.map(({ code }) => code)).toEqual(['config.unreadable']);
  });
});

describe('a hostile profiles file', () => {
  it.each<readonly [string, string, string]>([
    ['10 MB', `profiles: {a: {tools: [${'x,'.repeat(5_000_000)}]}}`, 'config.too_large'],
    ['an alias bomb', bomb(), 'config.too_large'],
    ['deep flow nesting', `profiles: ${'['.repeat(50_000)}`, 'config.too_deep'],
    [
      'deep block nesting',
      Array.from({ length: 400 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      'config.too_deep',
    ],
    ['an alias to itself', 'profiles: &a {b: *a}', 'config.syntax'],
  ])('%s is refused', async (_, text, code) => {
    const { problems, profiles } = await load(text);
    expect(problems.map((problem) => problem.code)).toContain(code);
    expect(profiles.flatMap(({ tools }) => tools)).toEqual([]);
  });

  it('is refused if it is not UTF-8 text', async () => {
    expect(await loadBytes(Buffer.from([0x70, 0xff, 0xfe]))).toEqual(['config.not_utf8']);
    const withNul = await loadBytes(Buffer.from('profiles: {a: {tools: ["b\0c"]}}'));
    expect(withNul.length).toBeGreaterThan(0);
  });

  it('cannot access inherited properties', async () => {
    const text =
      'profiles: {__proto__: {tools: [x]}, constructor: {tools: [y]}}\nprincipals: {__proto__: {}}';
    const { profiles, problems } = await load(text);
    expect(problems.map(({ path }) => path)).toEqual(['profiles.__proto__', 'principals.__proto__']);
    expect(profiles.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
    expect(Object.hasOwn(Object.prototype, 'tools')).toBe(false);
  });

  it('with thousands of profiles is read in linear time', async () => {
    const small = await seconds(900);
    const large = await seconds(7_200);
    // Eight times the text. Quadratic work would be sixty-four times the time.

    expect(large / small).toBeLessThan(40);
  });

  it('yields only profiles and problems, for any text', async () => {
    const piece = fc.constantFrom(
      ...[
        'profiles',
        'tools',
        'extends',
        'principals',
        'agent:a',
        'a',
        'Read',
        '"!x"',
        '!x',
        '! x',
        '*',
        '&a',
        '*a',
      ],
      ...[
        ':',
        ': ',
        '- ',
        '\n',
        '\n  ',
        '\n    ',
        '[',
        ']',
        '{',
        '}',
        ', ',
        '<<: ',
        '# ',
        '|',
        '>',
        '"',
        "'",
        '\0',
        '---\n',
      ],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const text = pieces.join('');
        const loaded = await load(text);
        for (const { tools } of loaded.profiles) for (const tool of tools) expect(typeof tool).toBe('string');
        // What was meant to block never comes out as a grant.
        if (/!\s*x/.test(text) && !hasErrors(loaded.problems)) {
          for (const { tools } of loaded.profiles) expect(tools).not.toContain('x');
        }
      }),
      { numRuns: count(5_000) },
    );
  });
});

function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, at) =>
    at === 0
      ? 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
      : `a${String(at)}: &a${String(at)} [${`*a${String(at - 1)}, `.repeat(10)}]`,
  );
  return `${levels.join('\n')}\nprofiles: {a: {tools: *a8}}\n`;
}

async function seconds(profiles: number): Promise<number> {
  const text = `profiles:\n${Array.from({ length: profiles }, (_, at) => `  p${String(at)}: {extends: minimal}`).join('\n')}\n`;
  await load(text);
  const started = process.cpuUsage();
  const loaded = await load(text);
  const { user, system } = process.cpuUsage(started);
  expect(loaded.profiles).toHaveLength(profiles);
  return (user + system) / 1e6;
}
