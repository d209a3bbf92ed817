import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import type { RunMore } from '../support/run-program.js';

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

const flow = (name: string, states: object, more: object = {}): string =>
  place.file(
    `.tidegate/workflows/${name}.yaml`,
    JSON.stringify({ name, ...more, states: { initial: 'a', ...states, done } }),
  );

const command = (line: string, more: object = {}): object => ({
  type: 'command',
  command: line,
  on_success: 'done',
  ...more,
});

async function execute(workflow: string, more: RunMore = {}): Promise<string> {
  const given = JSON.stringify({ workflow, inputs: {} });
  const { stdout, stderr } = await place.run1(['tools', 'call', 'execute_workflow', given, '--json'], more);
  return stdout + stderr;
}

const trust = (file: string): ReturnType<FlowPlace['run1']> => place.run1(['trust', file, '--yes']);
const at = (name: string): string => join(place.workspace, name);

/** Swaps the file for a single read, as a fast attacker could. */
const flipping = `
const fs = require('node:fs');
let count = 0;
for (const name of ['readFileSync', 'openSync']) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    if (!String(path).endsWith('scripts/do.sh')) return real(path, ...rest);
    count += 1;
    return real(count === Number(process.env.EVIL_AT) ? process.env.EVIL : path, ...rest);
  };
}
require('node:module').syncBuiltinESMExports();
`;

describe('a workflow trusted for agents', () => {
  it('is shown with every command that can run, in full', async () => {
    const long = `echo ${'x'.repeat(200)}; echo end-of-long`;
    flow('inner', { a: command('echo inner-step', { hooks: { post: [{ command: 'echo inner-hook' }] } }) });
    const file = flow(
      'outer',
      {
        a: command(long, { on_success: 'b', hooks: { pre: [{ command: 'echo pre-hook' }] } }),
        b: command('echo one\necho two', { on_success: 'c' }),
        c: { type: 'call_workflow', workflow: 'inner', on_success: 'done' },
      },
      {
        description: 'red \u001b[31m\nSteps:',
        hooks: {
          workflow_start: [{ command: 'echo start-hook' }],
          workflow_error: [{ command: 'echo error-hook' }],
        },
      },
    );
    const [dry, trusted] = [await place.run1(['run', file, '--dry-run']), await trust(file)];
    for (const { stdout, status } of [dry, trusted]) {
      expect(status).toBe(0);
      for (const word of [
        'end-of-long',
        'pre-hook',
        'two',
        'inner-step',
        'inner-hook',
        'start-hook',
        'error-hook',
      ])
        expect(stdout).toContain(`echo ${word}`);
      expect(stdout).not.toContain('\u001b');
      expect(stdout.match(/^Steps:$/gm)).toHaveLength(1);
    }
  });

  it('runs exactly the hashed content, whichever read of the file is swapped', async () => {
    const file = flow('flip', { a: { type: 'command', script_file: 'do.sh', on_success: 'done' } });
    place.file('.tidegate/scripts/do.sh', 'echo good > flipped');
    place.file('evil.sh', 'echo evil > flipped');
    expect((await trust(file)).status).toBe(0);
    const node = ['--require', place.file('flip.cjs', flipping)];
    const ends: string[] = [];
    for (let nth = 1; nth <= 9; nth += 1) {
      rmSync(at('flipped'), { force: true });
      ends.push(
        await execute('flip', { node, env: { ...place.env, EVIL_AT: String(nth), EVIL: at('evil.sh') } }),
      );
      if (existsSync(at('flipped'))) expect(readFileSync(at('flipped'), 'utf8'), `${nth}`).toBe('good\n');
    }
    // Control: the first read decides, and later reads really differed.
    expect(ends[0]).toContain('no workflow');
    expect(ends.filter((said) => said.includes('changed after it was trusted')).length).toBeGreaterThan(0);
    expect(await execute('flip')).toContain('completed');
    expect(readFileSync(at('flipped'), 'utf8')).toBe('good\n');
  });

  it('includes the files that its templates read, and none that are only known at run time', async () => {
    place.file('lib/cmd.sh', 'echo good > read-by');
    const file = flow('reads', { a: command('{{readFile "lib/cmd.sh"}}') });
    const trusted = await trust(file);
    expect(trusted.stdout).toContain('lib/cmd.sh');
    expect(await execute('reads')).toContain('completed');
    place.file('lib/cmd.sh', 'echo evil > read-by');
    expect(await execute('reads')).toContain('no workflow');
    expect(readFileSync(at('read-by'), 'utf8')).toBe('good\n');

    place.file('.tidegate/scripts/reads.sh', '{{"lib/cmd.sh" | readFile}}');
    const script = flow('script', { a: { type: 'command', script_file: 'reads.sh', on_success: 'done' } });
    expect((await trust(script)).stdout).toContain('lib/cmd.sh');
    place.file('lib/cmd.sh', 'echo changed > read-by');
    expect(await execute('script')).toContain('no workflow');

    for (const text of [
      '{{readFile .inputs.x}}',
      '{{printf "lib/%s" "cmd.sh" | readFile}}',
      '{{readFile "absent"}}',
    ]) {
      const computed = flow(
        'computed',
        { a: command(text) },
        { inputs: [{ name: 'x', default: 'lib/cmd.sh' }] },
      );
      expect((await trust(computed)).status, text).not.toBe(0);
    }
  });

  it('does not wait for a pipe in place of a file', async () => {
    const file = flow('pipe', { a: { type: 'command', script_file: 'pipe.sh', on_success: 'done' } });
    const script = place.file('.tidegate/scripts/pipe.sh', 'echo fine');
    place.file('data', 'x');
    const reader = flow('reads-pipe', { a: command('echo {{readFile "data"}}') });
    for (const one of [file, reader]) expect((await trust(one)).status).toBe(0);
    for (const path of [script, at('data')]) {
      rmSync(path);
      execFileSync('mkfifo', [path]);
    }
    for (const name of ['pipe', 'reads-pipe']) expect(await execute(name)).toContain('no workflow');
    for (const one of [file, reader]) {
      expect((await trust(one)).stderr).toContain('cannot be read');
      const ran = await place.run1(['run', one]);
      expect(ran.stdout + ran.stderr).toContain('not a regular file');
    }
    rmSync(script);
    rmSync(at('data'));
  });
});
