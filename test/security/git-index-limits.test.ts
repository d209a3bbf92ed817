import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpGate, openHttpGate, openPlace, type Place } from '../support/gate.js';
import { type HttpClient, openHttpClient, openLegacySession } from '../support/http-client.js';
import { hasProc } from '../support/proc.js';
import { tokenOf } from '../support/raw-client.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** A machine with much to do takes some hundred milliseconds for a health check; the attacks took many seconds. */
const longestMs = 2000;
const limitMs = 150_000;

const script = (body: string): string => `python3 - <<'P'
import os, struct
def entry(name, size, padded):
    flags = struct.pack(">H", min(size, 0xfff))
    one = bytes(24) + struct.pack(">I", 0o160000) + bytes(12) + b"\\x11" * 20 + flags + name
    return one + bytes(8 - len(one) % 8) if padded else one + bytes(1)
def index(version, entries):
    with open(".git/index", "wb") as f:
        f.write(b"DIRC" + struct.pack(">II", version, len(entries)) + b"".join(entries) + bytes(20))
${body}
P`;

/** Each with how many bytes git lists of it. */
const indexes: Readonly<Record<string, readonly [body: string, listed: number]>> = {
  '800,000 links': ['index(2, [entry(b"s%07d" % i, 8, True) for i in range(800000)])', 7_000_000],
  'names that grow, in version 4': [
    'index(4, [entry(bytes(1) + b"a", i + 1, False) for i in range(12000)])',
    70_000_000,
  ],
  '1,500 linked repositories': [
    `names = ["s%07d" % i for i in range(1500)]
for name in names:
    os.makedirs(name + "/.git/objects"); os.makedirs(name + "/.git/refs")
    open(name + "/.git/HEAD", "w").write("ref: refs/heads/main"); open(name + "/.git/config", "w").write("[core]")
index(2, [entry(name.encode(), 8, True) for name in names])`,
    13_000,
  ],
};

describe.skipIf(!hasBubblewrap)('[15.34] a crafted git index', () => {
  let place: Place;
  let gate: HttpGate;
  let client: HttpClient;
  let headers: Readonly<Record<string, string>>;
  let root: string;

  beforeEach(async () => {
    place = openPlace({ builtins: ['Write', 'Bash'] });
    root = join(place.directory, 'workspace');
    execFileSync('git', ['init', '-q'], { cwd: root, env: place.env });
    gate = await openHttpGate(place);
    client = openHttpClient(gate.base);
    headers = await openLegacySession(client, {}, { authorization: `Bearer ${tokenOf(place)}` });
  }, limitMs);
  afterEach(async () => {
    client.close();
    await gate.close();
    place.close();
  });

  const call = async (name: string, given: object): Promise<string> => {
    const params = { name, arguments: given };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
    return (await client.send('/mcp', body, { headers, limitMs })).text;
  };
  /** How long the slowest health check took, and the answer. */
  const during = async (
    work: Promise<string>,
  ): Promise<{ readonly text: string; readonly slowest: number }> => {
    const state = { isDone: false };
    const isDone = (): boolean => state.isDone;
    void work.catch(() => undefined).finally(() => (state.isDone = true));
    let slowest = 0;
    while (!isDone()) {
      const from = performance.now();
      await fetch(`${gate.base}/healthz`);
      slowest = Math.max(slowest, performance.now() - from);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return { text: await work, slowest };
  };
  const othersGoOn = async (): Promise<void> => {
    const write = await during(call('Write', { file_path: 'q.txt', content: 'x' }));
    expect(existsSync(join(root, 'q.txt')), write.text).toBe(true);
    const bash = await during(call('Bash', { command: 'echo fi""ne' }));
    expect(bash.text).toContain('fine');
    expect([write.slowest < longestMs, bash.slowest < longestMs], `${write.slowest} ${bash.slowest}`).toEqual(
      [true, true],
    );
  };
  const listed = (file: string): number => {
    const command = `GIT_INDEX_FILE=${file} git ls-files | wc -c`;
    return Number(execFileSync('/bin/sh', ['-c', command], { cwd: root, env: place.env, encoding: 'utf8' }));
  };

  it.each(Object.entries(indexes))(
    'that a sandboxed command writes is moved aside, and blocks no caller: %s',
    async (_name, [body, bytes]) => {
      const { text, slowest } = await during(call('Bash', { command: script(body) }));
      expect(text).toContain('undone_configurations');
      expect(slowest).toBeLessThan(longestMs);
      await othersGoOn();
      expect(readdirSync(join(root, '.git'))).not.toContain('index');
      // Control: git reads it, with all that it names.
      expect(listed('.git/index.undone-1')).toBeGreaterThan(bytes);
    },
    limitMs,
  );

  it.each(Object.entries(indexes))(
    'that existed before blocks no caller: %s',
    async (_name, [body, bytes]) => {
      execFileSync('/bin/sh', ['-c', script(body)], { cwd: root, env: place.env });
      await othersGoOn();
      expect(listed('.git/index')).toBeGreaterThan(bytes);
    },
    limitMs,
  );
});
