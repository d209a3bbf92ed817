import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endProcess, openPlace, type Place, program } from '../support/gate.js';
import { type LineClient, type Message, openLineClient } from '../support/line-client.js';

const isRoot = process.getuid?.() === 0;

describe('unreadable files', () => {
  let place: Place;
  let child: ReturnType<typeof spawnGate>;
  let client: LineClient;

  /** Root can read every file, unless it drops the capability to bypass permissions. */
  function spawnGate() {
    const args = [program, 'mcp', '--config', place.configFile];
    const [command, own] = isRoot
      ? ['setpriv', ['--bounding-set=-all', '--inh-caps=-all', process.execPath, ...args]]
      : [process.execPath, args];
    return spawn(command, own, {
      cwd: join(place.directory, 'workspace'),
      env: place.env,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  beforeAll(async () => {
    place = openPlace({ builtins: ['*'], log: { level: 'error' } });
    const workspace = join(place.directory, 'workspace');
    mkdirSync(join(workspace, 'closed'));
    writeFileSync(join(workspace, 'open.txt'), 'needle here\n');
    writeFileSync(join(workspace, 'secret.txt'), 'needle there\n');
    writeFileSync(join(workspace, 'closed', 'inside.txt'), 'needle inside\n');
    for (const path of ['secret.txt', 'closed']) {
      if (isRoot) chownSync(join(workspace, path), 65534, 65534);
      chmodSync(join(workspace, path), 0o000);
    }
    child = spawnGate();
    client = openLineClient(child);
    await client.initialize();
  });
  afterAll(async () => {
    await endProcess(child);
    chmodSync(join(place.directory, 'workspace', 'closed'), 0o700);
    place.close();
  });

  async function call(name: string, args: object): Promise<Message> {
    return (await client.request('tools/call', { name, arguments: args }, 30_000)).message;
  }

  it('never abort a search, and are reported', async () => {
    const { result } = await call('Grep', { pattern: 'needle', output_mode: 'content' });
    const data = result?.['structuredContent'] as Readonly<Record<string, unknown>>;
    expect(result?.['isError'] ?? false).toBe(false);
    expect(JSON.stringify(data)).toContain('needle here');
    expect(JSON.stringify(data)).not.toContain('needle there');
    expect(JSON.stringify(data['skipped'])).toMatch(/secret\.txt/);
    expect(JSON.stringify(data['skipped'])).toMatch(/closed/);
  });

  it('are reported by Read, with a reason', async () => {
    const { result } = await call('Read', { file_path: 'secret.txt' });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result?.['structuredContent'])).toMatch(/permi|allowed/i);
  });

  it('do not hide the others from Glob', async () => {
    const { result } = await call('Glob', { pattern: '*.txt' });
    expect(JSON.stringify(result?.['structuredContent'])).toContain('open.txt');
  });
});
