import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { hasErrors, type LoadedConfig, loadConfig } from './index.js';

const directory = mkdtempSync(join(tmpdir(), 'tidegate-hostile-'));
afterAll(() => rmSync(directory, { recursive: true }));
const runs = process.env['TIDEGATE_COUNTS'] === 'full' ? 5_000 : 500;

async function load(text: string): Promise<LoadedConfig> {
  return loadConfig({
    file: '/workspace/tidegate.yaml',
    text,
    env: { HOME: '/home/ada' },
    home: '/home/ada',
  });
}

async function codes(text: string): Promise<readonly string[]> {
  return (await load(text)).problems.map(({ code }) => code);
}

async function loadBytes(bytes: Uint8Array): Promise<LoadedConfig> {
  const file = join(directory, 'bytes.yaml');
  writeFileSync(file, bytes);
  return loadConfig({ file, env: {}, home: '/' });
}

const sample = `servers:
  github: &base
    command: npx
    args: [-y, "\${HOME}/x"]
    env: {A: 1}
    timeout: 2m
  other:
    <<: *base
    prefix: ""
mcpServers: {m: {type: http, url: "https://m.example/mcp", headers: {a: b}}}
http: {port: 1, host: localhost, auth: none}
log: {level: debug}
`;

// Pieces that mean something to YAML or to us, so that random texts get past the first character.
const piece = fc.constantFrom(
  ...[
    'servers',
    'mcpServers',
    'http',
    'command',
    'url',
    'args',
    'env',
    ':',
    ': ',
    '- ',
    '\n',
    '\n  ',
    '\n    ',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '&a ',
    '*a',
    '<<',
    '!',
    '!!set ',
    '|',
    '>',
    '#',
    '%YAML 1.1\n---\n',
    '---\n',
    '\t',
  ],
  ...[
    '${',
    '${HOME}',
    '${NO:-x}',
    '$${',
    '}',
    '\0',
    '\ufeff',
    '\u2028',
    '\ud800',
    '__proto__',
    'constructor',
    'x',
    '1e9',
    '~',
    '?',
  ],
);
const words = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

describe('for any text', () => {
  it('loading returns a result, with positions inside the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 200 })), async (text) => {
        const { config, problems, sha256 } = await load(text);
        const lines = text.replace(/^\ufeff/, '').split('\n');
        for (const { line, column } of problems) {
          expect(line).toBeLessThanOrEqual(lines.length);
          expect(column).toBeGreaterThan(0);
          expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
        }
        expect(sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(Object.isFrozen(config)).toBe(true);
      }),
      { numRuns: runs },
    );
  }, 120_000);

  it('a changed, missing or repeated byte in a valid file does not crash the loader', async () => {
    expect(new Set(await codes(sample))).toEqual(new Set(['config.overlapping_prefixes']));
    const place = fc.nat(Buffer.byteLength(sample) - 1);
    await fc.assert(
      fc.asyncProperty(place, fc.nat(255), fc.constantFrom(0, 1, 2), async (at, byte, length) => {
        const bytes = Buffer.from(sample);
        const middle = length === 2 ? [byte, byte] : [byte].slice(0, length);
        const { config } = await loadBytes(
          Buffer.concat([bytes.subarray(0, at), Buffer.from(middle), bytes.subarray(at + 1)]),
        );
        expect(Array.isArray(config.servers)).toBe(true);
      }),
      { numRuns: runs },
    );
  }, 120_000);

  it('a file cut at any byte does not crash the loader', async () => {
    const bytes = Buffer.from(sample);
    for (let end = 0; end < bytes.length; end += 1) {
      expect((await loadBytes(bytes.subarray(0, end))).config.servers.length).toBeLessThanOrEqual(3);
    }
  });

  it('a misspelled key is reported at its exact position', async () => {
    const keys = ['github', 'command', 'args', 'timeout', 'prefix', 'http', 'host', 'level', 'log'] as const;
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.nat(20), fc.constantFrom(...keys), async (blank, comment, near) => {
        const above = `${'\n'.repeat(blank)}${'# é𝄞\n'.repeat(comment)}`;
        const { problems } = await load(`${above}servers:\n  name:\n    command: x\n    ${near}x: 1\n`);
        expect(problems).toMatchObject([
          { code: 'config.unknown_key', line: blank + comment + 4, column: 5 },
        ]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a hostile file', () => {
  it('cannot expand without limit through aliases', async () => {
    const levels = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`);
    expect(await codes(`a0: &a0 x\n${levels.join('\n')}\n`)).toEqual(['config.too_large']);
    const merges = Array.from(
      { length: 30 },
      (_, i) => `a${i + 1}: &a${i + 1} {<<: [*a${i}, *a${i}], k${i}: *a${i}}`,
    );
    expect(await codes(`a0: &a0 {x: y}\n${merges.join('\n')}\n`)).toEqual(['config.too_large']);
  });

  it('cannot contain itself', async () => {
    expect(await codes('servers: &s\n  a: *s\n')).toEqual(['config.syntax', 'config.missing']);
    expect(await codes('servers: &s\n  <<: *s\n')).toContain('config.syntax');
  });

  it('can still use ordinary aliases and merge keys', async () => {
    const { config, problems } = await load(
      'servers:\n  a: &a {command: x, args: [1]}\n  b: {<<: *a, command: y}\n  c: *a\n',
    );
    expect(problems).toEqual([]);
    expect(config.servers).toMatchObject([{ command: 'x' }, { command: 'y', args: ['1'] }, { command: 'x' }]);
  });

  it.each(['[', '{a: ', '- ', '? ', '&a ', '!a ', 'a: {'])(
    'cannot be nested without limit: %s',
    async (opening) => {
      expect(await codes(opening.repeat(60_000))).toEqual(['config.too_deep']);
    },
  );

  it('cannot be nested without limit over many lines', async () => {
    const stairs = Array.from({ length: 60 }, (_, i) => `${' '.repeat(128 * i)}${'- '.repeat(63)}-`).join(
      '\n',
    );
    expect(await codes(stairs)).toEqual(['config.too_deep']);
    expect(await codes(Array.from({ length: 500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'))).toEqual([
      'config.too_deep',
    ]);
  });

  it('control: without the depth check, it would exhaust the stack', () => {
    expect(parseDocument('['.repeat(20_000), { prettyErrors: false }).errors[0]?.code).toBe(
      'RESOURCE_EXHAUSTION',
    );
  });

  it('cannot exceed the size limit', async () => {
    const { problems, sha256 } = await loadBytes(Buffer.alloc(10_000_000, '#'));
    expect(problems.map(({ code }) => code)).toEqual(['config.too_large']);
    expect(sha256).toBeUndefined();
    expect(await codes(' '.repeat(600_000))).toEqual(['config.too_large']);
  });

  it('cannot modify prototypes', async () => {
    const { config } = await load(
      '__proto__: {polluted: 1}\nservers: {s: {command: x, env: {__proto__: bad, constructor: c}, __proto__: {cwd: /}}}\n',
    );
    expect(config.servers).toEqual([]);
    const sound = await load('servers: {s: {command: x, env: {__proto__: bad}}}');
    const [first] = sound.config.servers;
    expect(first?.kind === 'stdio' && Object.entries(first.env)).toEqual([['__proto__', 'bad']]);
    expect(first?.kind === 'stdio' && Object.getPrototypeOf(first.env)).toBe(Object.prototype);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  it('must exist, be a regular file, and be UTF-8', async () => {
    const read = async (file: string) => {
      const { problems, sha256 } = await loadConfig({ file, env: {}, home: '/' });
      return [problems.map(({ code }) => code), sha256 !== undefined];
    };
    expect((await loadBytes(Buffer.from('log: \xff', 'latin1'))).problems[0]?.code).toBe('config.not_utf8');
    expect((await loadBytes(Buffer.from('\ufefflog: {}', 'utf16le'))).problems[0]?.code).toBe(
      'config.not_utf8',
    );
    expect(await read(directory)).toEqual([['config.unreadable'], false]);
    expect(await read(join(directory, 'absent.yaml'))).toEqual([['config.unreadable'], false]);
    expect(await read('/dev/zero')).toEqual([['config.unreadable'], false]);
  });

  it.skipIf(process.platform === 'win32')('cannot block the loader by being a pipe', async () => {
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const { problems } = await loadConfig({ file: pipe, env: {}, home: '/' });
    expect(problems).toMatchObject([{ code: 'config.unreadable' }]);
  });

  it('cannot inject a NUL character or a second header', async () => {
    const { config, problems } = await load(
      'servers: {a: {command: "x\\0y"}, b: {url: "http://b", headers: {h: "a\\r\\nb: c"}}}',
    );
    expect(hasErrors(problems)).toBe(true);
    expect(config.servers).toEqual([]);
  });

  it('does not leak its secrets through error messages', async () => {
    const secret = 'c0ffee-secret';
    const texts = [
      `a: ]\n"Bearer ${secret}": ]\n`,
      `servers: {s: {url: "https://me:${secret}@x/"}}`,
      `servers: {s: {url: "${secret}"}}`,
      `servers: {s: {command: x, env: {A: ["${secret}"]}}}`,
      `servers: {s: {url: "http://x", headers: {A: "${secret}\\n"}}}`,
      `{}\n"${secret}"`,
    ];
    for (const text of texts) {
      const { problems } = await load(text);
      expect(problems.length).toBeGreaterThan(0);
      expect(JSON.stringify(problems)).not.toContain(secret);
    }
  });
});
