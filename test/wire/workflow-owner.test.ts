import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done, type FlowPlace, type FlowResult, openFlowPlace } from '../support/flow.js';
import type { RunMore } from '../support/run-program.js';

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

/** A failed run that records each time it is resumed. */
async function failedRun(): Promise<FlowResult> {
  const { result } = await place.flow({
    states: {
      initial: 'a',
      a: { type: 'command', command: 'test -e go && echo went >> went && sleep 5', on_success: 'done' },
      done,
    },
  });
  expect(result.status).toBe('failed');
  return result;
}

const resume = (run: string, more: RunMore = {}): ReturnType<FlowPlace['run1']> =>
  place.run1(['run', '--resume', run], more);

/** Delays each process after it reads the owner file, so that all read it before one writes it. */
const slowing = `
const fs = require('node:fs');
const real = fs.readFileSync;
fs.readFileSync = (path, ...rest) => {
  try {
    return real(path, ...rest);
  } finally {
    if (String(path).endsWith('/owner')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  }
};
require('node:module').syncBuiltinESMExports();
`;

describe('the folder of a run', () => {
  it('is locked by only one of many processes that resume it at once, even if its owner has died', async () => {
    const { run, folder } = await failedRun();
    place.file('go', '');
    writeFileSync(join(folder, 'owner'), '4000000 12345\n');
    const node = ['--require', place.file('slow.cjs', slowing)];
    const all = await Promise.all(Array.from({ length: 3 }, () => resume(run, { node })));
    expect(all.filter(({ status }) => status === 0)).toHaveLength(1);
    expect(all.filter(({ stderr }) => stderr.includes('run.busy'))).toHaveLength(2);
    expect(readFileSync(join(place.workspace, 'went'), 'utf8')).toBe('went\n');
    expect(existsSync(join(folder, 'owner'))).toBe(false);
    rmSync(join(place.workspace, 'go'));
  });

  it.each(['', 'x', '0 ', '0 0\n', '-1 5\n'])('has no owner if its owner file contains %j', async (owner) => {
    const { run, folder } = await failedRun();
    writeFileSync(join(folder, 'owner'), owner);
    const shown = await place.run1(['runs', 'show', run, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'failed' });
    expect((await resume(run)).stderr).not.toContain('run.busy');
  });

  it('is busy as long as its owner is running', async () => {
    const { run, folder } = await failedRun();
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    writeFileSync(join(folder, 'owner'), `${String(process.pid)} ${start}\n`);
    expect((await resume(run)).stderr).toContain('run.busy');
  });

  it.each([
    { kind: 'step', key: 'a', name: 'a' },
    { kind: 'end', end: { status: '\u001b[31m', at: '', ms: 1, exitCode: 1 } },
    { kind: 'run', id: 'x', name: 'x', file: null },
    { kind: 'run', cwd: 7 },
  ])('is reported as broken if its journal contains %j', async (record) => {
    const { run, folder } = await failedRun();
    appendFileSync(join(folder, 'journal.jsonl'), `${JSON.stringify(record)}\n`);
    for (const args of [
      ['runs', 'show', run],
      ['run', '--resume', run],
    ]) {
      const { stderr, stdout, status } = await place.run1(args);
      expect(stderr).toContain('run.broken');
      expect(stderr + stdout).not.toContain('\u001b');
      expect(status).toBe(1);
    }
    expect((await place.run1(['runs', 'list'])).stdout).toMatch(new RegExp(`${run}\\s+broken`));
  });

  it('is shown without control characters from a modified journal', async () => {
    const { run, folder } = await failedRun();
    const journal = join(folder, 'journal.jsonl');
    const evil = readFileSync(journal, 'utf8').replace(/"startedAt":"/, '"startedAt":"\\u001b[31m');
    writeFileSync(journal, evil.replace('"name":"test"', '"name":"\\u001b[31m"'));
    for (const args of [
      ['runs', 'show', run],
      ['runs', 'list'],
    ]) {
      const { stdout, stderr } = await place.run1(args);
      expect(stdout + stderr).not.toContain('\u001b');
      expect(stdout).toContain('\\u001b');
    }
  });
});

describe('validate', () => {
  it('reports too many brackets, and inputs that are not passed to commands', async () => {
    const brackets = `{{${'('.repeat(50_000)}1${')'.repeat(50_000)}}}`;
    const names = [
      'PERL5OPT',
      'PERL5LIB',
      'RUBYOPT',
      'PYTHONSTARTUP',
      'NODE_OPTIONS',
      'BASH_ENV',
      'LD_PRELOAD',
    ];
    const file = place.file(
      'deep.yaml',
      JSON.stringify({
        name: 'deep',
        inputs: [...names, 'NODE_ENV', 'GIT_BRANCH'].map((name) => ({ name, default: 'x' })),
        states: {
          initial: 'a',
          a: { type: 'command', command: `echo ${brackets}`, on_success: 'done' },
          done,
        },
      }),
    );
    const { stdout, stderr } = await place.run1(['validate', file]);
    const said = stdout + stderr;
    expect(said).toContain('BAD_TEMPLATE');
    expect(said).toContain('too deep');
    expect(said).not.toContain('    at ');
    for (const name of names) expect(said).toContain(`"${name}" is not passed to commands`);
    for (const name of ['NODE_ENV', 'GIT_BRANCH']) expect(said).not.toContain(`"${name}" is not passed`);
  });
});
