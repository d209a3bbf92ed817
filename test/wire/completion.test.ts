import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const builtProgram = fileURLToPath(new URL('../../dist/tidegate.js', import.meta.url));

interface Case {
  readonly typed: string;
  readonly offered: readonly string[];
  readonly absent: string;
}

const cases: readonly Case[] = [
  { typed: 'tidegate tok', offered: ['token'], absent: 'tools' },
  { typed: 'tidegate tools ', offered: ['list', 'show', 'search', 'call', 'new'], absent: 'serve' },
  { typed: 'tidegate audit p', offered: ['prune'], absent: 'list' },
  { typed: 'tidegate audit --', offered: ['--denied', '--json'], absent: '--older-than' },
  { typed: 'tidegate audit prune --', offered: ['--older-than'], absent: '--denied' },
  {
    typed: 'tidegate explain provider.',
    offered: ['provider.unavailable', 'provider.lost'],
    absent: 'tool.not_found',
  },
  { typed: 'tidegate exec ', offered: ['claude', 'gemini', 'codex', 'opencode'], absent: 'list' },
  { typed: 'tidegate doctor --agent ge', offered: ['gemini'], absent: 'claude' },
  { typed: 'tidegate doctor --agent o', offered: ['opencode'], absent: 'openai' },
  { typed: 'tidegate run --agent o', offered: ['openai', 'opencode'], absent: 'claude' },
  { typed: 'tidegate completion f', offered: ['fish'], absent: 'bash' },
];

/** Makes each shell print its suggestions for a line. */
const shells = {
  bash: (script: string, words: readonly string[]) =>
    `source ${script}; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${String(words.length - 1)}; _tidegate; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // zsh completion needs a terminal, so check what the script passes to it instead.
  zsh: (script: string, words: readonly string[]) =>
    `compdef() { : }; _describe() { print -rl -- \${(P)\${@[-1]}} }; compadd() { shift; print -rl -- $@ }; _files() { : }
source ${script}; words=(${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${String(words.length)}; _tidegate | sed 's/:.*//'`,
  fish: (script: string, words: readonly string[]) =>
    `source ${script}; complete -C '${words.join(' ')}' | string replace -r '\\t.*' ''`,
} as const;

describe.each(Object.entries(shells))('completion of %s', (shell, asking) => {
  const isHere = spawnSync(shell, ['-c', 'exit 0']).status === 0;
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-completion-'));
  const script = join(folder, 'script');
  beforeAll(() => {
    writeFileSync(script, execFileSync(process.execPath, [builtProgram, 'completion', shell]));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it.skipIf(!isHere).each(cases)('suggests valid completions for "$typed"', ({ typed, offered, absent }) => {
    const words = typed.split(' ');
    const { stdout, stderr } = spawnSync(shell, ['-c', asking(script, words)], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const found = stdout
      .split('\n')
      .filter((word) => word.startsWith(words.at(-1) ?? ''))
      .map((word) => word.trim());
    expect(found).toEqual(expect.arrayContaining([...offered]));
    expect(found).not.toContain(absent);
  });
});
