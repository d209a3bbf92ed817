import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Field, Risk } from '../../src/config/field.js';
import { configTable } from '../../src/config/schema.js';
import { openPlace } from '../support/gate.js';
import { runGate } from '../support/run-program.js';

/** A key of the configuration with a value of its own: `servers.*.url`. */
interface Key {
  readonly path: readonly string[];
  readonly field: Field;
}

const hasOwnValue = ({ kind }: Field): boolean => kind !== 'record' && kind !== 'map' && kind !== 'list';

function keysOf(field: Field, path: readonly string[] = []): readonly Key[] {
  if (field.kind === 'record')
    return Object.entries(field.fields).flatMap(([name, own]) => keysOf(own, [...path, name]));
  if ((field.kind === 'map' || field.kind === 'list') && !hasOwnValue(field.of) && field.risk === undefined)
    return keysOf(field.of, [...path, '*']);
  return [{ path, field }];
}

/** A value that the key takes and that is not its default. */
function sampleOf(field: Field, mark: string): unknown {
  switch (field.kind) {
    case 'text':
      return textSample(field.format, mark);
    case 'integer':
      return field.maximum === field.default ? field.minimum : field.maximum;
    case 'boolean':
      return field.default !== true;
    case 'choice':
      return field.choices.find((choice) => choice !== field.default);
    case 'duration':
      return '77s';
    case 'list':
      return [sampleOf(field.of, mark)];
    case 'map':
      return { [`X_${mark}`]: sampleOf(field.of, mark) };
    case 'record':
      return {};
    default:
      throw new Error(`The configuration has no ${field.kind} field.`);
  }
}

function textSample(format = 'any', mark = ''): string {
  if (format === 'url') return `https://${mark}.example/v1`;
  if (format === 'database') return `postgres://${mark}.example/db`;
  if (format === 'host') return 'localhost';
  return format === 'prefix' || format === 'pattern' || format === 'name' ? mark : `\${REF_${mark}:-x}`;
}

const keys = keysOf(configTable);
const nameOf = ({ path }: Key): string => path.join('.');

/** Keys that only one kind of server or store has. */
const ofHttp = new Set(['url', 'headers', 'login']);
const ofPostgres = new Set(['store.kind', 'store.url']);
const far = { url: 'https://base.example/' };
const base = {
  servers: { near: { command: 'base' }, far },
  mcpServers: { near2: { command: 'base' }, far2: far },
};

/** A folder of the workspace is refused for `shell.writable`. */
function valueOf(key: Key, mark: string): unknown {
  return nameOf(key) === 'shell.writable' ? [`\${REF_${mark}:-/opt/${mark}}`] : sampleOf(key.field, mark);
}

/** One valid file that sets all these keys. */
function fileWith(some: readonly Key[], start: object): object {
  return some.reduce<unknown>((whole, key, index) => {
    const value = valueOf(key, `z${String(index)}z`);
    return withValue(whole, key.path, value);
  }, start) as object;
}

function withValue(here: unknown, path: readonly string[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const own = (typeof here === 'object' && here !== null ? here : {}) as Record<string, unknown>;
  const names = step === '*' ? [Object.keys(own)[ofHttp.has(rest[0] ?? '') ? 1 : 0] ?? 'one'] : [step];
  return names.reduce((whole, name) => ({ ...whole, [name]: withValue(whole[name], rest, value) }), own);
}

const titles: Readonly<Record<Risk, string>> = {
  starts: 'Starts programs',
  files: 'Reads and writes files',
  sends: 'Sends data out',
  secret: 'Uses secrets and environment variables',
  defence: 'Changes a security setting',
  access: 'Decides who may do what',
  none: '',
};

/** The lines below the title of a group. */
function groupOf(screen: string, title: string): string {
  return screen.split('\n\n').find((block) => block.startsWith(`${title}\n`)) ?? '';
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.values(value).flatMap(textsIn);
}

async function screenOf(config: unknown, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const place = openPlace(config, { trusted: false });
  try {
    const { stdout, stderr } = await runGate(place, ['trust', place.configFile], {
      env: { ...place.env, ...more },
    });
    expect(stderr).toContain('trust.not_asked');
    return stdout;
  } finally {
    place.close();
  }
}

describe('the trust screen', () => {
  const risky = keys.filter(({ field }) => field.risk !== 'none');
  const inPostgres = risky.filter((key) => ofPostgres.has(nameOf(key)));
  const inSqlite = risky.filter((key) => !ofPostgres.has(nameOf(key)));
  const screens = new Map<string, string>();
  beforeAll(async () => {
    const [first, second] = [
      await screenOf(fileWith(inSqlite, base)),
      await screenOf(fileWith(inPostgres, {})),
    ];
    for (const key of inSqlite) screens.set(nameOf(key), first);
    for (const key of inPostgres) screens.set(nameOf(key), second);
  });

  it('[15.6] has a risk class for every key of the configuration', () => {
    expect(keys.length).toBeGreaterThan(50);
    expect(keys.filter(({ field }) => field.risk === undefined).map(nameOf)).toEqual([]);
  });

  it.each(risky.map((key) => [nameOf(key), key] as const))(
    '[15.6] shows %s with its value, in the group of its risk',
    (name, key) => {
      const group = groupOf(screens.get(name) ?? '', titles[key.field.risk ?? 'none']);
      const index = (inSqlite.includes(key) ? inSqlite : inPostgres).indexOf(key);
      expect(group).toContain(key.path.at(-1));
      for (const text of textsIn(valueOf(key, `z${String(index)}z`)))
        expect(group).toContain(JSON.stringify(text));
    },
  );

  it('[15.6] says that a file with harmless keys changes nothing (control)', async () => {
    const isPlain = ({ field }: Key): boolean => !JSON.stringify(sampleOf(field, '')).includes('${');
    const harmless = keys.filter(
      (key) => key.field.risk === 'none' && key.path[0] === 'context' && isPlain(key),
    );
    expect(harmless.length).toBeGreaterThan(5);
    const screen = await screenOf(fileWith(harmless, { builtins: ['*'] }));
    expect(screen).toContain('This file starts no programs, sends no data and changes no rights.');
  });

  it('[15.6] names each secret, the key that uses it and the address that gets it', async () => {
    const screen = await screenOf(
      {
        servers: {
          far: {
            url: 'https://foreign.example/mcp',
            headers: { X: 'Bearer ${GITHUB_TOKEN}', Y: 'in-clear' },
          },
        },
        workspace: { roots: ['/', '..'] },
        telemetry: { endpoint: 'https://spans.example/v1/traces', service_name: '${DEPLOY_KEY}' },
      },
      { GITHUB_TOKEN: 'value-of-token', DEPLOY_KEY: 'value-of-key' },
    );
    expect(groupOf(screen, titles.sends)).toContain('"https://foreign.example/mcp"');
    expect(groupOf(screen, titles.sends)).toContain('X="Bearer ${GITHUB_TOKEN}"');
    expect(groupOf(screen, titles.files)).toMatch(/roots {2}"\/"\n {11}"\.\." {2}\(\/.+\)/);
    const secrets = groupOf(screen, titles.secret);
    expect(secrets).toContain(
      '${GITHUB_TOKEN}\n    in servers.far.headers.X, for "https://foreign.example/mcp"',
    );
    // A harmless key sends a secret too, where it holds one.
    expect(secrets).toContain(
      '${DEPLOY_KEY}\n    in telemetry.service_name, for "https://spans.example/v1/traces"',
    );
    expect(screen).not.toMatch(/value-of|in-clear/);
  });
});

describe('the trust screen of a plugin', () => {
  it('[15.6] names secrets with the address that gets them, and a disabled protection', async () => {
    const place = openPlace({}, { trusted: false });
    const folder = join(dirname(place.configFile), '.tidegate');
    mkdirSync(folder);
    const headers = { X: '${GITHUB_TOKEN}', Y: 'in-clear' };
    const far = { type: 'mcp', url: 'https://foreign.example/mcp', headers };
    const near = { command: ['node', '-e', '1'], mtls: false, env: { KEY: '${DEPLOY_KEY}' } };
    writeFileSync(join(folder, 'plugins.yaml'), JSON.stringify({ plugins: { far, near } }));
    const env = { ...place.env, GITHUB_TOKEN: 'value-of-token', DEPLOY_KEY: 'value-of-key' };
    try {
      const { stdout } = await runGate(place, ['plugin', 'trust'], { env });
      expect(stdout).toContain('X="${GITHUB_TOKEN}"');
      expect(stdout).toContain('in headers.X, for "https://foreign.example/mcp"');
      expect(stdout).toContain('in env.KEY');
      expect(stdout).toMatch(/Changes a security setting\n.*mtls {2}"false"/);
      expect(stdout).not.toMatch(/value-of|in-clear/);
    } finally {
      place.close();
    }
  });
});
