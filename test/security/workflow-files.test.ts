import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent } from '../support/stdio-agent.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

interface Case {
  readonly step: object;
  readonly files: Readonly<Record<string, string>>;
  /** The file that the agent writes, and its new text. */
  readonly attack: readonly [file: string, text: string];
}

const good = '#!/bin/sh\necho good\n';
const evil = '#!/bin/sh\ntouch canary\necho evil\n';
const cases: Readonly<Record<string, Case>> = {
  'a script that a command runs': {
    step: { command: './tool.sh' },
    files: { 'tool.sh': good },
    attack: ['tool.sh', evil],
  },
  'a script of an interpreter': {
    step: { command: 'cd . && sh tools/tool.sh | cat' },
    files: { 'tools/tool.sh': good },
    attack: ['tools/tool.sh', evil],
  },
  'a script below dir': {
    step: { command: './tool.sh', dir: 'tools' },
    files: { 'tools/tool.sh': good },
    attack: ['tools/tool.sh', evil.replace('canary', '../canary')],
  },
  'what a script runs': {
    step: { command: './tool.sh' },
    files: { 'tool.sh': '#!/bin/sh\n. ./lib.sh\n', 'lib.sh': 'echo good\n' },
    attack: ['lib.sh', 'touch canary\n'],
  },
  'the interpreter of a script_file': {
    step: { script_file: 'scripts/do.sh' },
    files: { 'scripts/do.sh': '#!./interpreter\n', interpreter: good },
    attack: ['interpreter', evil],
  },
  'what a script_file runs': {
    step: { script_file: 'scripts/do.sh' },
    files: { 'scripts/do.sh': '#!/bin/sh\n./tool.sh\n', 'tool.sh': good },
    attack: ['tool.sh', evil],
  },
  'a command of a hook': {
    step: { command: 'true', hooks: { pre: [{ command: './hook.sh' }] } },
    files: { 'hook.sh': good },
    attack: ['hook.sh', evil],
  },
  'a module that a program imports': {
    step: { command: 'node tools/go.mjs' },
    files: { 'tools/go.mjs': `import './part.mjs';\n`, 'tools/part.mjs': '' },
    attack: ['tools/part.mjs', `import { writeFileSync } from 'node:fs';\nwriteFileSync('canary', '');\n`],
  },
  'a script of package.json': {
    step: { command: 'npm run -s go' },
    files: { 'package.json': '{"scripts":{"go":"echo good"}}' },
    attack: ['package.json', '{"scripts":{"go":"touch canary"}}'],
  },
  'a Makefile': {
    step: { command: 'make go' },
    files: { Makefile: 'go:\n\techo good\n' },
    attack: ['Makefile', 'go:\n\ttouch canary\n'],
  },
};

describe('[15.31] files that a trusted workflow runs', () => {
  let place: FlowPlace;
  afterEach(() => place.close());

  const open = ({ step, files }: Pick<Case, 'step' | 'files'>): string => {
    place = openFlowPlace({ builtins: ['Read', 'Write', 'Bash', 'execute_workflow'] });
    for (const [name, text] of Object.entries(files)) {
      const path = place.file(name, text);
      if (text.startsWith('#!')) spawnSync('chmod', ['+x', path]);
    }
    const states = { initial: 'a', a: { type: 'command', on_success: 'done', ...step }, done };
    return place.file(
      '.tidegate/workflows/go.yaml',
      JSON.stringify({ name: 'go', inputs: [{ name: 'name', type: 'string' }], states }),
    );
  };
  const trust = (file: string) => place.run1(['trust', file, '--yes']);
  const canary = (): string => join(place.workspace, 'canary');
  const run = { workflow: 'go', inputs: { name: 'n' } };

  it.skipIf(!hasBubblewrap).each(Object.entries(cases))(
    'are not run after an agent changed them: %s',
    async (_name, one) => {
      const file = open(one);
      const trusted = await trust(file);
      expect(trusted.status).toBe(0);
      const [path, text] = one.attack;
      expect(trusted.stdout).toContain(path);
      const agent = await openStdioAgent(place);
      try {
        expect((await agent.call('execute_workflow', run)).isError).toBe(false);
        const command = `cat > ${path} <<'END'\n${text}\nEND\n`;
        expect((await agent.call('Bash', { command })).structured).toMatchObject({ sandbox: 'bubblewrap' });
        expect((await agent.call('execute_workflow', run)).isError).toBe(true);
        expect(existsSync(canary())).toBe(false);
        // Control: the same change, once trusted, runs.
        expect((await trust(file)).status).toBe(0);
        await agent.call('execute_workflow', run);
        expect(existsSync(canary())).toBe(true);
      } finally {
        await agent.close();
      }
    },
  );

  it('do not include data: files that a command reads and writes do not end the trust', async () => {
    const file = open({
      step: { command: 'cat notes.txt > out.txt' },
      files: { 'notes.txt': 'a', 'out.txt': '' },
    });
    expect((await trust(file)).status).toBe(0);
    place.file('notes.txt', 'b');
    rmSync(join(place.workspace, 'out.txt'));
    expect((await trust(file)).stdout).toContain('Already trusted');
  });

  it('cannot be trusted if an input names the program', async () => {
    const file = open({ step: { command: './tools/{{inputs.name}}.sh' }, files: {} });
    const { status, stdout, stderr } = await trust(file);
    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain('{{inputs.name}}');
  });
});
