import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isToolFailure } from '../../src/core/index.js';
import type { ToolModule } from '../../src/ports/tool-module.js';
import { createFakeExchange } from '../../src/testing/index.js';
import bash from '../../src/tools/shell/bash.tool.js';
import bashOutput from '../../src/tools/shell/bash-output.tool.js';
import killBash from '../../src/tools/shell/kill-bash.tool.js';
import { hasProc } from '../support/proc.js';
import { openTestShell, sessionOf, type TestShell } from '../support/shell.js';
import { injections, listedStrings } from '../support/shell-strings.js';

const canary = 'canary';

describe.skipIf(!hasProc)('no string except the command reaches a shell', () => {
  let shell: TestShell;
  let strings: readonly string[];

  beforeAll(async () => {
    shell = await openTestShell({ sandbox: 'none' });
    const touch = `touch ${join(shell.root, canary)}`;
    strings = [...injections(touch), ...listedStrings(touch)];
  });
  afterAll(() => shell.close());

  const hasSung = () => existsSync(join(shell.root, canary));

  it('not the directory', async () => {
    for (const cwd of strings) expect(await outcomeOf(bash, { command: 'true', cwd })).not.toBe('internal');
    expect(hasSung()).toBe(false);
  });

  it('not the ids of background commands', async () => {
    for (const id of strings) {
      expect(await outcomeOf(bashOutput, { bash_id: id })).toBe('refused');
      expect(await outcomeOf(killBash, { shell_id: id })).toBe('refused');
    }
    expect(hasSung()).toBe(false);
  });

  it('not the filter, which is never treated as a pattern either', async () => {
    const session = await shell.as('session');
    const { id } = await session.start({ command: 'while :; do echo line; sleep 0.1; done' });
    for (const filter of strings.filter((text) => text.length <= 1000)) {
      expect(await outcomeOf(bashOutput, { bash_id: id, filter })).toBe('done');
    }
    await session.stop(id);
    expect(hasSung()).toBe(false);
  });

  it('not the description', async () => {
    // Each of them starts a process, so that only the first of the listed ones are used.
    for (const description of strings.slice(0, 120)) {
      expect(await outcomeOf(bash, { command: 'true', description })).toBe('done');
    }
    expect(hasSung()).toBe(false);
  });

  it('control: as a command, some of the same strings do', async () => {
    const session = await shell.as('session');
    for (const command of injections(`touch ${join(shell.root, canary)}`)) {
      await session.run({ command, timeoutMs: 3000 }, createFakeExchange()).catch(() => undefined);
      if (hasSung()) break;
    }
    expect(hasSung()).toBe(true);
    rmSync(join(shell.root, canary));
  });

  async function outcomeOf(tool: ToolModule, input: object): Promise<'done' | 'refused' | 'internal'> {
    const read = await tool.input['~standard'].validate(input);
    if (read.issues) return 'refused';
    const ports = { shell: await shell.as('session') };
    try {
      const context = { exchange: createFakeExchange(), session: sessionOf('session'), ports };
      await tool.run(read.value as never, context as never);
      return 'done';
    } catch (error) {
      return isToolFailure(error) ? 'refused' : 'internal';
    }
  }
});
