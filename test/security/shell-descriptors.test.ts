import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { endProcess, openPlace, type Place, program } from '../support/gate.js';
import { openLineClient, textOfResult } from '../support/line-client.js';
import { hasProc } from '../support/proc.js';

const secret = 'what the parent of the gate had open';
/** Node itself hides the first sixteen, and these only. */
const [hidden, leaking] = [7, [18, 100, 300]];
const readAll = [hidden, ...leaking].map((number) => `cat <&${String(number)}`).join('; ');

describe.skipIf(!hasProc)('descriptors that the gateway inherited', () => {
  let place: Place;
  let descriptor: number;
  beforeAll(() => {
    place = openPlace({ builtins: ['*'] });
    writeFileSync(join(place.directory, 'secret'), secret);
    mkdirSync(join(place.directory, 'bin'));
    writeFileSync(join(place.directory, 'bin', 'bwrap'), '#!/bin/sh\nexit 1\n');
    chmodSync(join(place.directory, 'bin', 'bwrap'), 0o755);
  });
  afterAll(() => place.close());
  beforeEach(() => {
    descriptor = openSync(join(place.directory, 'secret'), 'r');
  });
  afterEach(() => closeSync(descriptor));

  /** A Node program with the file open at each of these numbers. */
  function withFile(args: readonly string[], env: Readonly<Record<string, string>>) {
    const stdio = Array.from({ length: Math.max(...leaking) + 1 }, (_none, index) => {
      if (index <= 2) return 'pipe' as const;
      return index === hidden || leaking.includes(index) ? descriptor : ('ignore' as const);
    });
    const child = spawn(process.execPath, [...args], {
      cwd: join(place.directory, 'workspace'),
      env,
      stdio,
    });
    // The first three are pipes, as the list says.
    return child as ChildProcessWithoutNullStreams;
  }

  it.each(['bubblewrap', 'none'] as const)('are not passed to commands, sandbox %s', async (sandbox) => {
    const path = place.env['PATH'] ?? '';
    const env = sandbox === 'none' ? { ...place.env, PATH: `${place.directory}/bin:${path}` } : place.env;
    const child = withFile([program, 'mcp', '--config', place.configFile], env);
    onTestFinished(() => endProcess(child));
    const client = openLineClient(child);
    await client.initialize();
    const call = async (more: object): Promise<string> => {
      const command = `${readAll}; ls -l /proc/self/fd`;
      const params = { name: 'Bash', arguments: { command, ...more } };
      return textOfResult((await client.request('tools/call', params, 30_000)).message);
    };
    const text = await call({});
    const hasBubblewrap = spawnSync('/usr/bin/bwrap', ['--ro-bind', '/', '/', 'true']).status === 0;
    expect(text).toContain(`sandbox: ${hasBubblewrap ? sandbox : 'none'}`);
    expect(text).toContain('-> /dev/null');
    expect(text).not.toContain('secret');
    expect(text).not.toContain(secret);
  });

  it('control: a program without this protection passes them to its children', async () => {
    const script = `process.stdout.write(require('node:child_process').spawnSync('/bin/bash', ['-c', ${JSON.stringify(readAll)}]).stdout)`;
    const child = withFile(['-e', script], place.env);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
    await new Promise((resolve) => child.once('close', resolve));
    // One open file has one place to read at: who comes first gets it all.
    expect(text).toBe(secret);
  });
});
