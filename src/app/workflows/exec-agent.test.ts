import { describe, expect, it } from 'vitest';
import { clis } from '../../agents/index.js';
import { undoing } from './exec-agent.js';

function refused(name: string, ...own: readonly string[]): string | undefined {
  const cli = clis.find((one) => one.name === name);
  return cli && undoing(cli, own);
}

describe('words that a person adds for an agent', () => {
  it.each([
    ['claude', '--model', 'opus', '-p', 'say hi'],
    ['claude', '--resume=abc'],
    ['gemini', '-p', 'hi'],
    ['codex', 'exec', '--json', 'hi'],
    ['codex', 'resume', '--last'],
    ['opencode', 'run', '-m', 'a/b', 'hi'],
  ])('are taken where they are known: %s %s', (name, ...own) => {
    expect(refused(name, ...own)).toBeUndefined();
  });

  it.each([
    ['claude', '--tools', 'Bash'],
    ['claude', '--tools=Bash'],
    ['claude', '--mcp-config=x'],
    ['claude', '--verbose', 'mcp', 'add'],
    ['claude', '--model', '--tools'],
    ['claude', '--bg'],
    ['gemini', '--admin-policy', 'x'],
    ['gemini', '--adminPolicy', 'x'],
    ['codex', '-cfeatures.shell_tool=true'],
    ['codex', '--remote', 'ws://x'],
    ['codex', 'mcp', 'add'],
    ['opencode', '--agent=build'],
    ['opencode', 'run', '--attach', 'x'],
  ])('are refused where nobody looked at them: %s %s', (name, ...own) => {
    expect(refused(name, ...own)).toBeDefined();
  });
});
