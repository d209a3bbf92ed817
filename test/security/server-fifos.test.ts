/** Files that the gateway reads to know what a trusted server runs, and that an agent exchanged for FIFOs. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPlace } from '../support/gate.js';
import { openStdioAgent } from '../support/stdio-agent.js';

const files = ['package.json', 'tsconfig.json', '.npmrc', '.env', 'node_modules/thing/package.json'];
const servers = {
  'npx with a package': { command: 'npx', args: ['-y', 'thing'] },
  'npx with a script': { command: 'npx', args: ['tsx', './srv/server.ts'] },
  'node with a file of variables': { command: 'node', args: ['--env-file=.env', './srv/server.mjs'] },
};

describe.skipIf(process.platform === 'win32')('[15.10] a FIFO in place of a file of a trusted server', () => {
  it.each(Object.entries(servers))('blocks no caller: %s', async (_name, server) => {
    const place = openPlace({ builtins: ['Read'], servers: { one: server } }, { trusted: false });
    onTestFinished(() => place.close());
    const at = (name: string): string => join(place.directory, 'workspace', name);
    for (const folder of ['srv', 'node_modules/thing']) mkdirSync(at(folder), { recursive: true });
    for (const name of ['srv/server.ts', 'srv/server.mjs', 'note.txt']) writeFileSync(at(name), '// empty');
    for (const name of files) writeFileSync(at(name), name.endsWith('.json') ? '{"name":"thing"}' : '');
    place.trust();
    for (const name of files) {
      rmSync(at(name));
      execFileSync('mkfifo', [at(name)]);
    }
    expect(place.run('servers').status).not.toBe(-1);
    const agent = await openStdioAgent(place);
    onTestFinished(() => agent.close());
    expect((await agent.call('Read', { file_path: 'note.txt' })).text).toContain('// empty');
    // Control: whoever opens such a file waits until somebody writes to it.
    expect(spawnSync('cat', [at('package.json')], { timeout: 500 }).error).toMatchObject({
      code: 'ETIMEDOUT',
    });
  });
});
