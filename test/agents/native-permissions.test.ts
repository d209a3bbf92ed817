import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gated, gatedClis } from './support/gated.js';
import { type GatedPlace, type GatedRun, openGatedPlace } from './support/gated-place.js';
import { nativeCalls } from './support/native-calls.js';

// The real agents with their own tools: what `native_permissions` lets them do, and what a refused call leaves behind.

let place: GatedPlace;
beforeAll(() => {
  place = openGatedPlace();
  mkdirSync(join(place.directory, 'tmp'));
});
afterAll(() => place.close());

const additive = { mcp_proxy: { enable: true, intercept_builtins: false }, tidegate: { tools: ['Glob'] } };

/** A native write and a native command, each with a file that only it makes. */
async function work(gated: Gated, name: string, options: object, step: object = {}): Promise<GatedRun> {
  const { write, command } = nativeCalls(gated.agent, place.workspace);
  return place.runAgent(
    gated,
    [
      { calls: [write(`${name}-w.txt`)] },
      { calls: [command(`${name}-c.txt`)] },
      ...(step === additive ? [{ calls: [{ name: /[_/]Glob$/, arguments: { pattern: '*.yaml' } }] }] : []),
      { say: 'all done' },
    ],
    // Codex puts no helper for its sandbox below the temporary folder.
    { options, step, env: { TMPDIR: join(place.directory, 'tmp') } },
  );
}

const refusedIn = ({ result }: GatedRun): readonly string[] =>
  (result.steps[0]?.refused ?? []).map(({ tool }) => tool);

async function shown({ result }: GatedRun): Promise<string> {
  return (await place.run1(['runs', 'show', result.run])).stdout;
}

describe.each(gatedClis)('$title, with its own tools', (gated) => {
  const { agent } = gated;
  const { writeName, commandName, outside } = nativeCalls(agent, '');

  it.each([
    ['native_permissions: full', { native_permissions: 'full' }, {}],
    ['dangerously_skip_permissions', { dangerously_skip_permissions: true }, {}],
    ['native_permissions: full and intercept_builtins: false', { native_permissions: 'full' }, additive],
  ])('[16.18] writes files and runs commands with %s', async (word, options, step) => {
    const name = `${agent}-full-${String(word.length)}`;
    const run = await work(gated, name, options, step);
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    expect(run.files).toEqual(expect.arrayContaining([`${name}-w.txt`, `${name}-c.txt`]));
    expect(run.result.steps[0]?.refused).toBeUndefined();
    expect(await shown(run)).not.toContain('refused');
  });

  it('[16.18] writes files by default, and a refused command is part of the result', async () => {
    const name = `${agent}-default`;
    const run = await work(gated, name, {});
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    expect(run.files).toContain(`${name}-w.txt`);
    if (agent === 'codex') {
      // Its commands run in its own sandbox: they write in the workspace and in temporary folders.
      expect(run.files).toContain(`${name}-c.txt`);
      const far = await place.runAgent(gated, [{ calls: [outside('/var/tmp')] }, { say: 'all done' }], {
        env: { TMPDIR: join(place.directory, 'tmp') },
      });
      // Codex has no event for a command that ends at once: then only the missing file tells.
      expect([[], [commandName]]).toContainEqual(refusedIn(far));
      expect(existsSync('/var/tmp/outside.txt')).toBe(false);
      return;
    }
    expect(run.files).not.toContain(`${name}-c.txt`);
    expect(refusedIn(run)).toEqual([commandName]);
    expect(run.result.steps[0]?.refused?.[0]?.reason).not.toBe('');
    expect(await shown(run)).toMatch(/1 call refused/);
  });

  it('[16.18] changes nothing with native_permissions: read, and says what was refused', async () => {
    const name = `${agent}-read`;
    const run = await work(gated, name, { native_permissions: 'read' }, additive);
    expect(run.result).toMatchObject({ status: 'completed', steps: [{ output: 'all done' }] });
    expect(run.files.filter((file) => file.startsWith(name))).toEqual([]);
    const refused = refusedIn(run);
    // See above: of Codex the refused patch is always there, the command not always.
    const isShort = agent === 'codex' && refused.length === 1;
    expect(refused).toEqual(isShort ? [writeName] : [writeName, commandName]);
    // The level is about its own tools: those of the gateway work.
    expect(run.results.at(-1)).toMatch(/flow-\d+\.yaml/);
    const screen = await shown(run);
    expect(screen).toContain(isShort ? '1 call refused' : '2 calls refused');
    expect(screen).toContain(writeName);
    const told = place.transcript(run.result).filter(({ payload }) => payload['refused'] === true);
    expect(told.map(({ payload }) => payload['name'])).toEqual(refused);
  });

  it.runIf(agent !== 'codex')('[16.18] has the tools of allowed_tools, and no others', async () => {
    const name = `${agent}-listed`;
    const run = await work(gated, name, { allowed_tools: 'Write,Bash(touch *)' });
    expect(run.files).toContain(`${name}-w.txt`);
    // The command does not begin as the list says; one that does runs.
    expect(run.files).not.toContain(`${name}-c.txt`);
    expect(refusedIn(run)).toEqual([commandName]);
    const touched = await place.runAgent(gated, [{ calls: [gated.touch(`${name}-t.txt`)] }, { say: 'ok' }], {
      options: { allowed_tools: ['Bash(touch *)'] },
    });
    expect(touched.files).toContain(`${name}-t.txt`);
  });
});
