import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FlowPlace, openFlowPlace } from '../support/flow.js';
import { waitFor } from '../support/gate.js';
import { startMarked } from '../support/marked-run.js';
import { findMarked, hasProc } from '../support/proc.js';

// Messages of `tidegate exec` when it does not start an agent. For real agents, see test/agents.

let place: FlowPlace;
let bin: string;
beforeAll(() => {
  place = openFlowPlace();
  bin = join(place.directory, 'bin');
  mkdirSync(bin);
  // An agent that hangs during its isolation test.
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\nsleep 300\n');
  chmodSync(join(bin, 'claude'), 0o755);
});
afterAll(() => place.close());

const url = 'http://127.0.0.1:9/v1';

describe('tidegate exec', () => {
  it.each([
    [['exec', 'cluade'], 3, 'agent.not_found', 'claude'],
    [['exec', 'codex'], 4, 'agent.not_installed', 'npm install -g @openai/codex'],
    [['exec', 'codex', '--', 'app-server'], 2, 'agent.undoing', 'A prompt must have more than one word.'],
    [['exec', 'claude', '--', '--tools', 'Bash'], 2, 'agent.undoing', '--tools is not allowed'],
    [['exec', 'claude', '--base-url', url], 2, 'usage.missing_argument', 'ANTHROPIC_API_KEY is not set'],
    [['exec', 'gemini', '--base-url', 'nowhere'], 2, 'usage.bad_value', '--base-url takes a URL'],
    [['exec', 'claude', '--model', 'a', '--', '--model=b'], 2, 'usage.exclusive', 'set twice'],
  ])('%j exits with %i and %s', async (args, exit, code, words) => {
    const { status, stderr } = await place.run1([...args], { env: { ...place.env, PATH: bin } });
    expect([status, stderr]).toEqual([exit, expect.stringContaining(code)]);
    expect(stderr).toContain(words);
  });

  it('reports errors in the configuration without a stack trace', async () => {
    const config = join(place.directory, 'wrong.yaml');
    writeFileSync(config, 'servers: 5\n');
    const { status, stderr } = await place.run1(['exec', 'claude', '--config', config]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('config.invalid')]);
  });

  it.skipIf(!hasProc)(
    'is stopped by Ctrl+C during the isolation test, without reporting a missing program',
    async () => {
      const mark = `exec-${String(process.pid)}`;
      const run = startMarked(['exec', 'claude'], {
        cwd: place.workspace,
        env: { ...place.env, PATH: `${bin}:${place.env['PATH'] ?? ''}`, TMPDIR: tmpdir() },
        mark,
      });
      await run.says('Testing once', 20_000);
      await waitFor(
        () => findMarked(join(bin, 'claude')).length > 0,
        20_000,
        () => `the isolation test did not start: ${run.said()}`,
      );
      const { left, tookMs } = await run.end('SIGINT', 5000);
      expect([left, findMarked(join(bin, 'claude'))]).toEqual([[], []]);
      expect(run.said()).toContain('call.cancelled');
      expect(run.said()).not.toContain('agent.not_installed');
      expect(tookMs).toBeLessThan(6000);
      expect(readdirSync(place.env['TIDEGATE_HOME'] ?? '')).not.toContain('exec');
    },
  );
});
