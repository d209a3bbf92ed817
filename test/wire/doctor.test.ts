import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueServer, manyTools } from '../support/catalogue.js';
import { fixtureServer, openPlace, type Place, program, waitFor } from '../support/gate.js';
import { describeProcess, findMarked, hasProc } from '../support/proc.js';
import { type Ran, runGate } from '../support/run-program.js';
import { hasTerminals, openTerminal } from '../support/terminal.js';

interface Found {
  readonly state: string;
  readonly about?: string;
  readonly detail: string;
  readonly more?: readonly string[];
  readonly next?: string;
  readonly fixable: boolean;
  readonly facts?: Readonly<Record<string, unknown>>;
}

interface Whole {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly id: string;
    readonly state: string;
    readonly findings: readonly Found[];
  }[];
  readonly fixed: readonly { readonly id: string; readonly did: string; readonly isDone: boolean }[];
}

async function doctor(
  place: Place,
  args: readonly string[] = [],
  more = {},
): Promise<Whole & Pick<Ran, 'status'>> {
  const { status, stdout, stderr } = await runGate(place, ['doctor', '--json', ...args], more);
  // A bug would exit with status 1 and a stack trace.
  expect([status, stderr]).toEqual([
    expect.toSatisfy((code) => code === 0 || code === 4),
    expect.not.stringContaining('    at '),
  ]);
  return { ...(JSON.parse(stdout) as Whole), status };
}

function of({ checks }: Whole, id: string, about?: string): Found {
  const findings = checks.find((check) => check.id === id)?.findings ?? [];
  const found = about === undefined ? findings[0] : findings.find((one) => one.about === about);
  if (found === undefined) throw new Error(`no finding for ${id} ${about ?? ''}`);
  return found;
}

const node = process.execPath;
/** Prints an error and exits, or never answers. */
const failing = {
  command: node,
  args: ['-e', 'console.error("one"); console.error("password=hunter2222 is wrong"); process.exit(3)'],
};
const folders: string[] = [];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'tidegate-doctor-'));
  folders.push(made);
  return made;
}

let place: Place;
let marker: string;
beforeAll(() => {
  marker = join(folder(), 'started');
  const touching = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, ''); process.exit(1)`;
  place = openPlace(
    {
      servers: {
        office: catalogueServer(manyTools),
        failing,
        touching: { command: node, args: ['-e', touching] },
        off: { command: node, enabled: false },
      },
      store: { kind: 'sqlite' },
    },
    { trusted: false },
  );
});
afterAll(() => {
  place.close();
  for (const made of folders) rmSync(made, { recursive: true, force: true });
});

describe('tidegate doctor', () => {
  it('starts nothing and sends nothing for an untrusted file, and suggests a command', async () => {
    const heard: string[] = [];
    const collector = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.end('{}');
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${String(port)}/v1/traces`;
    const own = openPlace({ servers: { touching: failing }, telemetry: { endpoint } }, { trusted: false });
    try {
      const before = await doctor(own, ['--fix']);
      expect(of(before, 'trust', 'tidegate.yaml')).toMatchObject({
        state: 'warn',
        next: `read it, then: tidegate trust ${own.configFile}`,
      });
      expect([of(before, 'servers').state, of(before, 'telemetry').state, heard]).toEqual([
        'skipped',
        'skipped',
        [],
      ]);
      own.trust();
      const after = await doctor(own, ['--only', 'telemetry,trust']);
      expect([of(after, 'trust').state, of(after, 'telemetry').state, heard]).toEqual([
        'ok',
        'ok',
        ['/v1/traces'],
      ]);
      own.write({ servers: {} });
      expect(of(await doctor(own, ['--only', 'trust']), 'trust').detail).toContain(
        'changed since it was trusted',
      );
    } finally {
      own.close();
      collector.close();
    }
    const { status, checks } = await doctor(place);
    expect([status, existsSync(marker)]).toEqual([0, false]);
    expect(checks.map(({ id }) => id)).toContain('platform');
  });

  it('starts each server, shows its token cost and last output, and fails if a server fails', async () => {
    place.trust();
    const whole = await doctor(place, ['--only', 'servers,store']);
    expect([whole.status, whole.ok, existsSync(marker)]).toEqual([4, false, true]);
    const office = of(whole, 'servers', 'office');
    expect(office.facts).toMatchObject({ tools: 48, tokens: expect.any(Number) as number });
    const { servers } = JSON.parse(place.run('tools', 'cost', '--json').stdout) as {
      readonly servers: readonly { readonly server: string; readonly eager: number }[];
    };
    expect(servers.find(({ server }) => server === 'office')?.eager).toBe(office.facts?.['tokens']);
    const { state, detail, more = [], next } = of(whole, 'servers', 'failing');
    expect(state).toBe('fail');
    expect([detail, ...more].join(' ')).toMatch(/code 3.*one/);
    expect(JSON.stringify(whole)).not.toContain('hunter2222');
    expect(next).toContain('tidegate doctor --only servers');
    expect(of(whole, 'servers', 'off').state).toBe('skipped');
    expect(of(whole, 'store').detail).toMatch(/created when needed|intact/);
  });

  it.skipIf(!hasTerminals)('fits a terminal of 80 columns, and shows its progress', async () => {
    const env = { ...place.env, NO_COLOR: '1' };
    const terminal = openTerminal({ args: ['doctor'], cwd: join(place.directory, 'workspace'), env });
    expect(await terminal.ended).toBe(4);
    const shown = terminal.text();
    expect(shown).toMatch(/\(\d+ of \d+\) .*Servers/);
    expect(shown).toMatch(/✓ ok {3}Node/);
    expect(shown).toMatch(/✗ FAIL +failing: .*…\n/);
    expect(shown).toContain('Needs work\n');
    const results = shown.slice(shown.lastIndexOf('System'));
    const wide = results.split('\n').filter((line) => line.length > 80 && !line.includes('next:'));
    expect(wide).toEqual([]);
  });

  it('suggests a command if nothing is configured or a name is unknown', async () => {
    const empty = folder();
    const env = { ...place.env, TIDEGATE_HOME: join(empty, 'none') };
    const whole = await doctor(place, ['--only', 'place,servers,home'], { cwd: empty, env });
    expect([whole.status, of(whole, 'config').state, of(whole, 'config').next]).toEqual([
      0,
      'note',
      'tidegate init',
    ]);
    expect(existsSync(join(empty, 'none'))).toBe(false);
    const wrong = place.run('doctor', '--only', 'severs');
    expect([wrong.status, wrong.stderr]).toEqual([2, expect.stringContaining('Did you mean "servers"?')]);
    expect(place.run('doctor', '--fix', '--agent', 'claude').status).toBe(2);
  });

  it('reports a port in use, and a store and a collector that do not answer', async () => {
    const refusing = createServer((_request, response) => response.writeHead(401).end());
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const { port } = refusing.address() as AddressInfo;
    const at = `127.0.0.1:${String(port)}`;
    const own = openPlace({
      http: { port },
      store: { kind: 'postgres', url: 'postgres://ana:geheim9876@127.0.0.1:1/gate' },
      telemetry: { endpoint: `http://${at}/v1/traces` },
    });
    try {
      const whole = await doctor(own, ['--only', 'serve,store,telemetry']);
      expect(of(whole, 'serve')).toMatchObject({ state: 'warn', next: 'tidegate serve --port 0' });
      expect(of(whole, 'telemetry')).toMatchObject({
        state: 'fail',
        detail: `http://${at}/v1/traces returned HTTP 401`,
      });
      expect(of(whole, 'store').state).toBe('fail');
      expect(JSON.stringify(whole)).not.toContain('geheim9876');
    } finally {
      own.close();
      refusing.close();
    }
  });

  it('fixes permissions and leftovers, reports what it did, and does not touch other files', async () => {
    const home = join(folder(), 'state');
    const env = { ...place.env, TIDEGATE_HOME: home };
    cpSync(place.env['TIDEGATE_HOME'] ?? '', home, { recursive: true });
    chmodSync(home, 0o775);
    chmodSync(join(home, 'trust.json'), 0o644);
    writeFileSync(join(home, 'serve.json'), '{"url":"http://127.0.0.1:1","pid":4194304}', { mode: 0o600 });
    mkdirSync(join(home, 'sockets', '4194303-aaaaaaaaaaaa'), { recursive: true });
    const half = join(home, 'backups', '2026-01-02T03-04-05-678Z-claude-0123abcd.before');
    mkdirSync(join(home, 'backups'), { mode: 0o700 });
    writeFileSync(half, 'a secret', { mode: 0o600 });
    utimesSync(half, new Date(), new Date(Date.now() - 3_600_000));
    const only = ['--only', 'home'];
    const before = await doctor(place, only, { env });
    expect([of(before, 'home').state, before.fixed, before.status]).toEqual(['fail', [], 4]);
    expect(statSync(home).mode & 0o777).toBe(0o775);
    const after = await doctor(place, [...only, '--fix'], { env });
    expect([after.ok, after.fixed.map(({ isDone }) => isDone)]).toEqual([true, [true, true, true]]);
    expect(after.checks.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect([statSync(home).mode & 0o777, statSync(join(home, 'trust.json')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    expect(of(before, 'home.leftovers').detail).toContain('1 incomplete backup');
    expect([existsSync(half), existsSync(join(home, 'serve.json'))]).toEqual([false, false]);
    expect(readdirSync(join(home, 'sockets'))).toEqual([]);
    // A directory with other files may belong to another program.
    chmodSync(home, 0o777);
    writeFileSync(join(home, 'holiday.jpg'), '');
    const shared = await doctor(place, ['--only', 'home', '--fix'], { env });
    expect([of(shared, 'home').state, of(shared, 'home').fixable]).toEqual(['fail', false]);
    expect(statSync(home).mode & 0o777).toBe(0o777);
  });
});

describe('doctor --fix in a directory with other files', () => {
  const strangers = ['notes.txt', 'trust-me.txt', 'token-ring.md', 'public_html/index.html', 'tools/saw.txt'];
  const old = new Date(Date.now() - 3_600_000);
  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  it('removes and protects only files created by Tidegate', async () => {
    const home = join(folder(), 'state');
    mkdirSync(home, { mode: 0o700 });
    const put = (path: string, text = ''): void => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
      chmodSync(join(home, path), 0o644);
    };
    for (const path of [...strangers, 'pipes-and-drums/march.txt', 'pipes-aaaaaa/tune.txt']) put(path);
    for (const path of ['tools', 'public_html']) chmodSync(join(home, path), 0o755);
    // Named like the settings of another program.
    put('serve.json', '{"public":"dist"}');
    put('secrets.json', '{"version":1,"values":{}}');
    const backup = 'backups/2026-01-01T00-00-00-000Z-cursor-0123abcd.before';
    put(backup);
    put(backup.replace('before', 'json'), '{}');
    put('backups/holiday.jpg');
    mkdirSync(join(home, 'pipes-bbbbbb'));
    pipe(join(home, 'pipes-bbbbbb', '0'));
    for (const name of ['pipes-and-drums', 'pipes-aaaaaa', 'pipes-bbbbbb'])
      utimesSync(join(home, name), old, old);
    const env = { ...place.env, TIDEGATE_HOME: home };
    await doctor(place, ['--only', 'home', '--fix'], { env });
    for (const path of [...strangers, 'backups/holiday.jpg'])
      expect([path, modeOf(join(home, path))]).toEqual([path, 0o644]);
    expect([modeOf(join(home, 'tools')), modeOf(join(home, 'public_html'))]).toEqual([0o755, 0o755]);
    expect(existsSync(join(home, 'pipes-and-drums/march.txt'))).toBe(true);
    expect(existsSync(join(home, 'pipes-aaaaaa/tune.txt'))).toBe(true);
    expect(existsSync(join(home, 'serve.json'))).toBe(true);
    // The control: our own files are still fixed and removed.
    expect(existsSync(join(home, 'pipes-bbbbbb'))).toBe(false);
    expect([modeOf(join(home, 'secrets.json')), modeOf(join(home, backup))]).toEqual([0o600, 0o600]);
  });
});

/** A running doctor, to be interrupted. */
function lookingAtServers(own: Place): {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
} {
  const child = spawn(node, [program, 'doctor', '--only', 'servers'], {
    cwd: join(own.directory, 'workspace'),
    env: own.env,
    stdio: 'ignore',
  });
  return { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

type Spoil = (home: string, workspace: string) => void;
const pipe = (path: string): void => void execFileSync('mkfifo', [path]);

const hostile: readonly (readonly [what: string, id: string, spoil: Spoil])[] = [
  ['a pipe in place of the isolation results', 'home.files', (home) => pipe(join(home, 'agents.json'))],
  ['a pipe in place of the record of `serve`', 'home.files', (home) => pipe(join(home, 'serve.json'))],
  [
    'a link to a pipe in place of the token',
    'home.files',
    (home) => {
      pipe(join(home, '..', 'far'));
      symlinkSync(join(home, '..', 'far'), join(home, 'token'));
    },
  ],
  [
    'a pipe in the server cache',
    'home.files',
    (home) => {
      mkdirSync(join(home, 'upstreams'), { recursive: true });
      pipe(join(home, 'upstreams', 'x.json'));
    },
  ],
  [
    'a file of gigabytes',
    'home.files',
    (home) => {
      writeFileSync(join(home, 'agents.json'), '');
      truncateSync(join(home, 'agents.json'), 5 * 1024 ** 3);
    },
  ],
  [
    'an invalid trust record',
    'trust',
    (home) => writeFileSync(join(home, 'trust.json'), '{"version":', { mode: 0o600 }),
  ],
  [
    'a store with random content',
    'store',
    (home) => writeFileSync(join(home, 'state.db'), 'noise '.repeat(2000), { mode: 0o600 }),
  ],
  ['a folder in place of the store', 'store', (home) => mkdirSync(join(home, 'state.db'))],
  [
    'a file in place of the state directory',
    'home',
    (home) => {
      rmSync(home, { recursive: true });
      writeFileSync(home, '');
    },
  ],
  [
    'a state directory that is a link to itself',
    'home',
    (home) => {
      rmSync(home, { recursive: true });
      symlinkSync(home, home);
    },
  ],
  [
    'a pipe among the workspace tools',
    'trust',
    (_home, workspace) => {
      mkdirSync(join(workspace, '.tidegate', 'tools'), { recursive: true });
      pipe(join(workspace, '.tidegate', 'tools', 'a.tool.js'));
    },
  ],
  [
    'a pipe in place of the profiles',
    'policy',
    (_home, workspace) => {
      mkdirSync(join(workspace, '.tidegate'), { recursive: true });
      pipe(join(workspace, '.tidegate', 'profiles.yaml'));
    },
  ],
  [
    'a configuration with random content',
    'config',
    (_home, workspace) => writeFileSync(join(workspace, 'tidegate.yaml'), '\u0000{['),
  ],
];

describe.skipIf(!hasProc)('doctor with hostile state', () => {
  it('the control: opening a pipe in place of a file blocks forever', () => {
    const path = join(folder(), 'pipe');
    pipe(path);
    const read = `require('node:fs').readFileSync(${JSON.stringify(path)})`;
    expect(() => execFileSync(node, ['-e', read], { timeout: 1500 })).toThrow('ETIMEDOUT');
  });

  it.each(hostile)('%s: reports it, and finishes', async (_what, id, spoil) => {
    const root = folder();
    const [home, workspace] = [join(root, 'state'), join(root, 'work')];
    mkdirSync(home, { mode: 0o700 });
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'tidegate.yaml'), '{}');
    spoil(home, workspace);
    const env = { ...place.env, TIDEGATE_HOME: home };
    const whole = await doctor(place, ['--fix'], { env, cwd: workspace, limitMs: 20_000 });
    expect([whole.status, whole.checks.find((check) => check.id === id)?.state]).toEqual([4, 'fail']);
  });

  it.skipIf(process.getuid?.() !== 0)('reports folders that it cannot read', async () => {
    const root = folder();
    const [home, workspace] = [join(root, 'state'), join(root, 'work')];
    for (const one of [home, workspace]) mkdirSync(one, { mode: 0o700 });
    chmodSync(root, 0o755);
    const nobody = { uid: 65_534, gid: 65_534 };
    const env = { ...place.env, TIDEGATE_HOME: home, HOME: root };
    const child = spawn(node, [program, 'doctor', '--json'], { cwd: root, env, ...nobody });
    let text = '';
    child.stdout.on('data', (part: Buffer) => (text += part.toString()));
    const status = await new Promise((resolve) => child.once('close', resolve));
    const whole = JSON.parse(text) as Whole;
    expect([status, of(whole, 'home').state, of(whole, 'trust').state]).toEqual([4, 'fail', 'fail']);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'leaves no server running when it is ended by %s',
    async (signal) => {
      const mark = `doctor-${signal}-${String(process.pid)}`;
      const silent = {
        command: node,
        args: ['-e', 'process.stdin.resume(); setInterval(() => {}, 1000)', mark],
      };
      const own = openPlace({ servers: { silent, sound: { command: node, args: [fixtureServer, mark] } } });
      try {
        const { child, ended } = lookingAtServers(own);
        const left = (): readonly string[] => findMarked(mark).map(describeProcess);
        // The control: it runs.
        await waitFor(
          () => left().length > 0,
          15_000,
          () => 'the server was never started',
        );
        child.kill(signal);
        expect(await ended).toBe(signal === 'SIGINT' ? 130 : null);
        await waitFor(
          () => left().length === 0,
          5000,
          () => `left: ${left().join('\n')}`,
        );
      } finally {
        own.close();
      }
    },
  );

  const stays = (mark: string): string =>
    `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); // ${mark}`;
  /** Ways to leave the process group that a signal reaches. All of them ignore SIGTERM. */
  const hidings: Readonly<Record<string, (mark: string) => string>> = {
    'a separate session': (mark) => spawned(stays(mark), ''),
    'a second fork whose parent has exited': (mark) => spawned(spawned(stays(mark), ''), ''),
    'a separate session and an empty environment': (mark) => spawned(stays(mark), ', env: {}'),
  };
  const spawned = (code: string, more: string): string =>
    `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(code)}], { detached: true, stdio: 'ignore'${more} }).unref();`;

  it.each(
    Object.keys(hidings).flatMap((hiding) =>
      (['SIGINT', 'SIGTERM'] as const).map((signal) => [hiding, signal] as const),
    ),
  )(
    'leaves no process of a server that hides a child in %s when it is ended by %s',
    async (hiding, signal) => {
      const mark = `hidden-${signal}-${String(Object.keys(hidings).indexOf(hiding))}-${String(process.pid)}`;
      const hide = hidings[hiding]?.(mark) ?? '';
      const server = {
        command: node,
        args: ['-e', `${hide} process.stdin.resume(); setInterval(() => {}, 1000)`],
      };
      const own = openPlace({ servers: { server } });
      const left = (): readonly number[] =>
        findMarked(mark).filter((pid) => describeProcess(pid).includes('setInterval') && !isServer(pid));
      // The arguments of the server contain the code of the child it starts.
      const isServer = (pid: number): boolean => describeProcess(pid).includes('require(');
      try {
        const { child, ended } = lookingAtServers(own);
        // The control: it runs.
        await waitFor(
          () => left().length > 0,
          15_000,
          () => 'the hidden child was never started',
        );
        child.kill(signal);
        expect(await ended).toBe(130);
        await waitFor(
          () => findMarked(mark).length === 0,
          5000,
          () => `left: ${findMarked(mark).map(describeProcess).join('\n')}`,
        );
      } finally {
        for (const pid of left()) process.kill(pid, 'SIGKILL');
        own.close();
      }
    },
  );
});
