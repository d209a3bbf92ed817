import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTag, endTagged, findTagged } from '../../src/services/processes/tagged.fixture.js';
import { endProcess, openPlace, spawnStdioGate, waitFor } from '../support/gate.js';
import { type LineClient, openLineClient } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly sandbox: string;
  readonly exit_code?: number;
  readonly exceeded_limit?: string;
  readonly background_id?: string;
  readonly status?: string;
  readonly reason?: string;
}

async function open(config: object, more: { readonly isBare?: boolean } = {}) {
  const place = openPlace({ builtins: ['Bash', 'BashOutput', 'KillBash'], ...config });
  const bin = join(place.directory, 'bin');
  if (more.isBare === true) {
    mkdirSync(bin);
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nexit 1\n');
    chmodSync(join(bin, 'bwrap'), 0o755);
  }
  const env = more.isBare === true ? { ...place.env, PATH: `${bin}:${place.env['PATH'] ?? ''}` } : place.env;
  const client = openLineClient(spawnStdioGate({ ...place, env }));
  await client.initialize();
  const call = async (name: string, input: object): Promise<Result> => {
    const { message } = await client.request('tools/call', { name, arguments: input }, 100_000);
    const { structuredContent } = message.result as unknown as { readonly structuredContent: Result };
    return structuredContent;
  };
  const close = async (): Promise<void> => {
    await endProcess(client.child);
    place.close();
  };
  return { bash: (command: string) => call('Bash', { command }), call, close, client, place };
}
type Gate = Awaited<ReturnType<typeof open>> & { readonly client: LineClient };

const hog = `python3 -c 'import time
kept = []
while True:
    kept.append(bytearray(b"x" * (8 << 20)))
    time.sleep(0.01)'`;
const spinners = `for i in 1 2; do (while :; do :; done) & done; wait`;

describe.skipIf(!hasBubblewrap)('[15.13] a command in the sandbox', () => {
  let gate: Gate;
  const limits = { memory: 300, processes: 60, open_files: 100, cpu_seconds: 2 };
  beforeAll(async () => {
    gate = await open({ shell: { limits } });
  });
  afterAll(() => gate.close());

  it.each([
    ['memory', hog],
    ['processes', 'for i in $(seq 200); do sleep 1000 & done; wait'],
    ['cpu_seconds', spinners],
  ] as const)('is ended if it exceeds the limit of %s, and the result says so', async (name, command) => {
    const { exceeded_limit, sandbox } = await gate.bash(command);
    expect(sandbox).toBe('bubblewrap');
    expect(exceeded_limit).toContain(`shell.limits.${name}`);
  });

  it('cannot open more files than allowed', async () => {
    const { stdout } = await gate.bash('ulimit -n; ulimit -n 200 2>/dev/null && ulimit -Sn');
    expect(Number(stdout.split('\n')[0])).toBe(100);
  });

  it('is limited in the background too', async () => {
    const started = await gate.call('Bash', { command: hog, run_in_background: true });
    let last: Result | undefined;
    await waitFor(
      async () => {
        last = await gate.call('BashOutput', { bash_id: started.background_id });
        return last.status !== 'running';
      },
      60_000,
      () => JSON.stringify(last),
    );
    expect(last?.status).toBe('killed');
    expect(last?.reason).toContain('shell.limits.memory');
  });

  it('control: is unlimited if the limits are 0', async () => {
    const none = { memory: 0, processes: 0, open_files: 0, cpu_seconds: 0 };
    const free = await open({ shell: { limits: none } });
    onTestFinished(() => free.close());
    const many = await free.bash('for i in $(seq 200); do sleep 3 & done; wait; echo all');
    expect(many.stdout).toBe('all\n');
    const much = await free.bash(
      `python3 -c 'import time; x = bytearray(b"x" * (600 << 20)); time.sleep(1); print("had")'`,
    );
    expect(much.stdout).toBe('had\n');
  });
});

describe.skipIf(!hasProc)('[15.13] a command without a sandbox', () => {
  const escape = (tag: string): string => `env -i setsid sleep ${tag} >/dev/null 2>&1 & sleep 0.3; exit 0`;

  it('leaves no process that cleared its environment and left its session', async () => {
    const gate = await open({}, { isBare: true });
    onTestFinished(() => gate.close());
    const tag = createTag();
    onTestFinished(() => endTagged(tag));
    const { sandbox } = await gate.bash(escape(tag));
    expect(sandbox).toBe('none');
    expect(findTagged(tag)).toEqual([]);
  });

  it('is ended if it exceeds a limit', async () => {
    const gate = await open({ shell: { limits: { memory: 300 } } }, { isBare: true });
    onTestFinished(() => gate.close());
    expect((await gate.bash(hog)).exceeded_limit).toContain('shell.limits.memory');
  });

  it('control: such a process survives a plain shell', async () => {
    const tag = createTag();
    onTestFinished(() => endTagged(tag));
    const child = spawn('/bin/sh', ['-c', escape(tag)], { detached: true });
    await new Promise((resolve) => child.once('exit', resolve));
    expect(findTagged(tag)).toHaveLength(1);
  });
});

describe.skipIf(!hasBubblewrap)('[15.39] Unix sockets of the host', () => {
  const servers: Server[] = [];
  const folder = mkdtempSync('/var/tmp/tidegate-sockets-');
  const abstract = `tidegate-test-${String(process.pid)}`;
  const ask = (address: string): string =>
    `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.connect(${address}); print(s.recv(10).decode())'`;
  const attempts = [
    ['with a path', ask(`"${folder}/s"`)],
    // The runtime that listens here may fill the name up with zeros.
    ['abstract', `${ask(`"\\0${abstract}"`)} || ${ask(`"\\0${abstract}".ljust(108, "\\0")`)}`],
  ] as const;

  beforeAll(async () => {
    for (const address of [join(folder, 's'), `\0${abstract}`]) {
      const server = createServer((socket) => socket.end('REACHED'));
      await new Promise<void>((resolve) => server.listen(address, resolve));
      servers.push(server);
    }
  });
  afterAll(() => {
    for (const server of servers) server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(attempts)('cannot be reached by a command: %s', async (_kind, command) => {
    const gate = await open({});
    onTestFinished(() => gate.close());
    const { stdout, stderr, sandbox } = await gate.bash(command);
    expect(sandbox).toBe('bubblewrap');
    expect(stdout).not.toContain('REACHED');
    expect(stderr).toContain('Operation not permitted');
  });

  const pairs = ['SOCK_DGRAM', 'SOCK_RAW', 'SOCK_RAW | socket.SOCK_CLOEXEC'].map(
    (type) =>
      [
        type,
        `python3 -c 'import socket; a, b = socket.socketpair(socket.AF_UNIX, socket.${type}); a.connect("${folder}/d"); a.send(b"REACHED")'`,
      ] as const,
  );
  const receive = `import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("${folder}/d"); print("ready", flush=True); print(s.recv(10).decode())`;

  const otherFamilies =
    'python3 -c "import socket\nfor f in (40, 38, 17, 2, 10, 16):\n try: socket.socket(f, 1 if f == 40 else 3 if f == 16 else 2 if f in (2, 10) else 3).close(); print(f, True)\n except PermissionError: print(f, False)\n except OSError: print(f, None)"';

  it('are not replaced by another kind of socket that reaches the host: AF_VSOCK, AF_ALG, AF_PACKET', async () => {
    const gate = await open({});
    onTestFinished(() => gate.close());
    const { stdout } = await gate.bash(otherFamilies);
    expect(stdout.trim().split('\n')).toEqual([
      '40 False',
      '38 False',
      '17 False',
      '2 True',
      expect.stringMatching(/^10 (True|None)$/),
      '16 True',
    ]);
    // The control: without the filter the sandbox itself does not refuse all of them.
    const free = await open({ shell: { unix_sockets: true } });
    onTestFinished(() => free.close());
    expect((await free.bash(otherFamilies)).stdout).not.toContain('40 False');
  });

  it.each(pairs)('[15.39] get no message from a socket pair of type %s', async (_type, command) => {
    const gate = await open({});
    onTestFinished(() => gate.close());
    expect((await gate.bash(command)).stderr).toContain('Operation not permitted');
  });

  it.each(pairs)('control: get it if the setting allows them: %s', async (_type, command) => {
    const gate = await open({ shell: { unix_sockets: true } });
    onTestFinished(() => gate.close());
    const receiver = spawn('python3', ['-c', receive], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => {
      receiver.kill();
      rmSync(join(folder, 'd'), { force: true });
    });
    const lines = receiver.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
    expect((await lines.next()).value).toContain('ready');
    await gate.bash(command);
    expect((await lines.next()).value).toContain('REACHED');
  });

  it.each(attempts)('control: can be reached if the setting allows them: %s', async (_kind, command) => {
    const gate = await open({ shell: { unix_sockets: true } });
    onTestFinished(() => gate.close());
    expect((await gate.bash(command)).stdout).toContain('REACHED');
  });

  it('are all that is blocked: pipes, child processes and the network work', async () => {
    const gate = await open({});
    onTestFinished(() => gate.close());
    const fork = `node -e 'const c = require("child_process"); if (process.send) process.send("x"); else c.fork(__filename || "x")' ; true`;
    const { stdout, stderr } = await gate.bash(
      [
        `node -e 'const { execFileSync } = require("child_process"); console.log(String(execFileSync("echo", ["child"])))'`,
        `python3 -c 'import socket, multiprocessing as m; a, b = socket.socketpair(); socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET); q = m.Queue(); q.put("queue"); print(q.get()); socket.socket().close(); print("inet")'`,
        'git init -q repo && git -C repo status --short && echo git',
        fork,
      ].join('\n'),
    );
    expect(stderr).not.toContain('Operation not permitted');
    for (const word of ['child', 'queue', 'inet', 'git']) expect(stdout).toContain(word);
  });
});
