import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type HttpGate, openHttpGate } from '../support/gate.js';
import { openOwnPlace, type OwnPlace, type OwnWorld, serveOwnPlace, textOf } from '../support/own-place.js';
import { runGate } from '../support/run-program.js';
import type { SdkClient } from '../support/sdk-clients.js';
import { openStdioAgent } from '../support/stdio-agent.js';

// One gateway works in a folder whose subfolder belongs to another. Agents of the first must not reach the store, log,
// configuration and long output of the second, whether one process serves both or two.

const inner = 'packages/api';
const config = { store: { file: './data/store.db' }, log: { file: './logs/gateway.log' } };

/** A project with its own store inside the workspace. The store exists and holds an admin. */
async function openNested(): Promise<{ readonly place: OwnPlace; readonly folder: string }> {
  const files = Object.fromEntries(
    ['readme.txt', 'data/readme.txt'].map((name) => [`${inner}/${name}`, 'an ordinary file']),
  );
  const place = await openOwnPlace({ state: 'outside', files });
  const folder = realpathSync(place.at(inner));
  mkdirSync(join(folder, '.git'));
  writeFileSync(join(folder, 'tidegate.yaml'), JSON.stringify(config));
  const inFolder = (...args: readonly string[]) =>
    runGate({ ...place, directory: folder }, args, { cwd: folder });
  expect((await inFolder('trust', '--yes')).status).toBe(0);
  expect((await inFolder('grant', 'user:boss', '--admin')).status).toBe(0);
  return { place, folder };
}

function attempts(agent: SdkClient): Promise<readonly string[]> {
  return Promise.all([
    textOf(agent, 'Read', { file_path: `${inner}/tidegate.yaml` }),
    textOf(agent, 'Read', { file_path: `${inner}/data/store.db` }),
    textOf(agent, 'Grep', { pattern: 'boss|store.db', output_mode: 'content', include_ignored: true }),
    textOf(agent, 'Bash', { command: `sqlite3 ${inner}/data/store.db 'select * from grants'; true` }),
    textOf(agent, 'Bash', { command: `cat ${inner}/tidegate.yaml ${inner}/logs/*; true` }),
  ]);
}

describe.each(['one process', 'two processes'])(
  'a gateway inside the workspace of another, in %s',
  (kind) => {
    let world: OwnWorld;
    let second: HttpGate | undefined;
    let agent: SdkClient;
    beforeAll(async () => {
      const { place, folder } = await openNested();
      if (kind === 'two processes')
        second = await openHttpGate({ ...place, configFile: join(folder, 'tidegate.yaml') });
      world = await serveOwnPlace(place, ...(kind === 'one process' ? ['--workspace', folder] : []));
      agent = await world.client('agent:mallory', 'execution');
    });
    afterAll(async () => {
      await second?.close();
      await world.close();
    });

    it('[15.2] its store, log and configuration are absent for agents of the outer one', async () => {
      for (const text of await attempts(agent))
        expect(text).not.toMatch(/boss|store: |"store"|gateway\.log"/);
      const write = await textOf(agent, 'Write', { file_path: `${inner}/data/store.db`, content: 'x' });
      expect(write).toMatch(/private|not exist|not found/i);
    });

    it('[15.2] control: other files of that folder are visible, and so is a store that no gateway uses', async () => {
      expect(await textOf(agent, 'Read', { file_path: `${inner}/readme.txt` })).toContain('an ordinary file');
      await textOf(agent, 'Bash', {
        command:
          "mkdir -p packages/other/data && sqlite3 packages/other/data/store.db 'create table boss(a)'",
      });
      const found = await textOf(agent, 'Bash', { command: 'sqlite3 packages/other/data/store.db .schema' });
      expect(found).toContain('boss');
    });

    it('[15.40] long output of its callers is absent for agents of the outer one', async () => {
      const output = join(world.place.at(inner), '.tidegate', 'output', 'of-another');
      mkdirSync(output, { recursive: true });
      writeFileSync(join(output, 'bash.txt'), 'the-long-output');
      const path = `${inner}/.tidegate/output/of-another/bash.txt`;
      expect(await textOf(agent, 'Read', { file_path: path })).not.toContain('the-long-output');
      expect(await textOf(agent, 'Bash', { command: `cat ${path}; true` })).not.toContain('the-long-output');
      // Control: the same file elsewhere.
      writeFileSync(world.place.at('plain.txt'), 'the-long-output');
      expect(await textOf(agent, 'Bash', { command: 'cat plain.txt' })).toContain('the-long-output');
    });
  },
);

describe.each(['inside the first', 'beside the first'])('a workspace %s', (where) => {
  it('[15.13] [15.40] runs commands, which do not see the long output of the first', async () => {
    const place = await openOwnPlace({ state: 'outside', config: { access: { default_profile: 'full' } } });
    onTestFinished(() => place.close());
    const folder = where === 'inside the first' ? place.at(inner) : join(place.directory, 'second');
    mkdirSync(folder, { recursive: true });
    const second = { ...place, configFile: join(folder, 'tidegate.yaml') };
    writeFileSync(second.configFile, JSON.stringify({ access: { default_profile: 'full' } }));
    const trusted = await runGate({ ...place, directory: folder }, ['trust', '--yes'], { cwd: folder });
    expect(trusted.status).toBe(0);
    const first = await openStdioAgent(place, '--as', 'agent:alice');
    onTestFinished(() => first.close());
    // Control: its own long output is on disk, and the caller sees it.
    const long = { command: 'yes the-long-output | head -20000' };
    expect((await first.call('Bash', long)).structured['truncated']).toBe(true);
    const look = { command: `cat ${place.at('.tidegate/output')}/*/* | grep -c the-long-output; pwd` };
    expect((await first.call('Bash', look)).structured['stdout']).toMatch(/^[1-9]/);

    const agent = await openStdioAgent(second, '--as', 'agent:mallory');
    onTestFinished(() => agent.close());
    const { structured } = await agent.call('Bash', look);
    expect(structured).toMatchObject({ stdout: `0\n${folder}\n`, sandbox: 'bubblewrap' });
  });
});
