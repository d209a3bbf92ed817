import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogueServer, type Definition, manyTools } from './catalogue.js';
import { openPluginPlace, type PluginPlace } from './plugin-place.js';
import type { Known } from './screen-examples.js';

/** A folder in which somebody has worked for a while, one in which nobody has. */
export interface ScreenPlace extends PluginPlace {
  readonly empty: string;
  /** A home in which nothing is. */
  readonly emptyEnv: Readonly<Record<string, string>>;
}

const schema = { type: 'object', properties: {} };
/** Words that are wider than their letters, longer than a line, and without a blank. */
const oddTools: readonly Definition[] = [
  {
    name: 'wide',
    description: '日本語の説明：ファイルを読み込んで内容を返します。大きなファイルは途中で切れます。',
    inputSchema: schema,
  },
  {
    name: 'signs',
    description: '🚀 Ships a release 🎉 and tells everybody 👩‍👩‍👧‍👦 about it, in every channel there is',
    inputSchema: schema,
  },
  {
    name: 'long',
    description: `Looks at ${'averyverylongpath/'.repeat(12)}file and says what is there.`,
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Where it is, and what of it. '.repeat(6) } },
    },
  },
  {
    name: 'a_name_that_is_about_as_long_as_names_may_be_for_many_clients',
    description: 'Short.',
    inputSchema: schema,
  },
];

export function openScreenPlace(): ScreenPlace {
  const office = catalogueServer(manyTools);
  const names = catalogueServer(oddTools);
  const servers = { office, names, hub: { url: 'http://127.0.0.1:9/mcp', enabled: false } };
  const config = { builtins: ['*'], servers };
  const place = openPluginPlace({ peer: {} }, config, { trusted: false });
  const write = (name: string, value: unknown): void =>
    place.writeWorkspace(name, typeof value === 'string' ? value : JSON.stringify(value, undefined, 2));
  writeFiles(write, office);
  writeClients(place.env['HOME'] ?? '');
  const empty = join(place.directory, 'empty');
  const emptyHome = join(place.directory, 'empty-home');
  mkdirSync(empty);
  mkdirSync(emptyHome, { mode: 0o700 });
  prepare(place);
  return {
    ...place,
    empty,
    emptyEnv: { ...place.env, HOME: emptyHome, TIDEGATE_HOME: join(emptyHome, 'state') },
  };
}

function writeFiles(write: (name: string, value: unknown) => void, office: unknown): void {
  const away = { command: 'no-such-program-anywhere' };
  const leaves = {
    command: process.execPath,
    args: ['-e', 'console.error("the token is missing"); process.exit(3)'],
  };
  write('troubled.yaml', {
    builtins: ['*'],
    servers: { office, away, leaves, hub: { url: 'http://127.0.0.1:9/mcp' } },
  });
  write('untrusted.yaml', { builtins: [], servers: { away } });
  write('other.yaml', { builtins: [], servers: { office } });
  write(
    'broken-config.yaml',
    'servers:\n  office: {comand: node}\n  b: {url: "nowhere", command: x}\nbuiltin: []\nlog: {level: loud}\n',
  );
  write('.tidegate/profiles.yaml', {
    default_profile: 'none',
    profiles: {
      reviewing: {
        description: 'Reads code and looks at what the office has, and writes nothing at all to anything',
        extends: 'coding',
        tools: ['office_search_*', 'names_*', '!Write', 'no_such_*'],
      },
    },
  });
  write('.tidegate/workflows/deploy.yaml', {
    name: 'deploy',
    description: 'Builds and ships',
    inputs: [{ name: 'target', default: 'staging' }],
    states: {
      initial: 'build',
      build: { type: 'command', command: 'echo built', on_success: 'ship' },
      ship: { type: 'command', command: 'echo shipped', on_success: 'done' },
      done: { type: 'terminal' },
    },
    outputs: { said: 'states.ship.Output' },
  });
  write('.tidegate/workflows/wide.yaml', {
    name: 'wide',
    states: {
      initial: 'a_step_whose_name_is_long_enough_to_be_cut',
      a_step_whose_name_is_long_enough_to_be_cut: {
        type: 'command',
        command: 'echo 日本語の出力',
        on_success: 'done',
      },
      done: { type: 'terminal' },
    },
  });
  write('.tidegate/workflows/fails.yaml', {
    name: 'fails',
    states: {
      initial: 'build',
      build: {
        type: 'command',
        command: 'echo the compiler found an error in a file with a rather long name >&2; exit 2',
        on_success: 'done',
      },
      done: { type: 'terminal' },
    },
  });
  write('.tidegate/workflows/broken.yaml', {
    name: 'broken',
    states: { initial: 'nowhere', build: { type: 'comand', on_success: 'ship' } },
  });
  write('access-tests.yaml', {
    tests: [
      {
        name: 'alice writes code and runs nothing',
        as: 'agent:alice',
        can: ['Read', 'Write'],
        cannot: ['Bash'],
      },
      { name: 'bob looks', as: 'agent:bob', exactly: [] },
    ],
  });
  write('bad-grants.yaml', { tuples: [{ user: 'alice', relation: 'likes' }] });
}

/** What agents and editors of this machine have. */
function writeClients(home: string): void {
  const mcpServers = {
    github: {
      command: 'npx',
      args: ['-y', 'some-github-server'],
      env: { GITHUB_TOKEN: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz' },
    },
    search: { type: 'http', url: 'http://127.0.0.1:9/search' },
  };
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers }, undefined, 2));
  mkdirSync(join(home, '.cursor'));
  writeFileSync(
    join(home, '.cursor/mcp.json'),
    JSON.stringify({ mcpServers: { search: { url: 'http://127.0.0.1:9/search' } } }),
  );
}

function done(place: PluginPlace, ...args: readonly string[]): string {
  const { status, stdout, stderr } = place.run(...args);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** What an operator does first: trust and rights, a token. */
function prepare(place: PluginPlace): void {
  done(place, 'trust', '--yes');
  done(place, 'trust', 'troubled.yaml', '--yes');
  place.trustPlugins('peer');
  done(place, 'profile', 'assign', 'agent:alice', 'coding');
  done(place, 'token', 'create', '--as', 'agent:alice', '--label', 'first');
}

/** What is there after some work: names to look up, and a document of grants. */
export function afterWork(place: PluginPlace): Known {
  const grants = done(place, 'access', 'export').replaceAll('alice', 'dora');
  writeFileSync(join(place.workspace, 'grants.yaml'), grants);
  const made = done(place, 'token', 'create', '--as', 'agent:alice', '--json');
  const { token } = JSON.parse(made) as { token: { id: string } };
  const good = JSON.parse(done(place, 'run', 'deploy', '--json')) as { run: string };
  const failed = JSON.parse(place.run('run', 'fails', '--json').stdout) as { run: string };
  return { token: token.id, doneRun: good.run, failedRun: failed.run };
}
