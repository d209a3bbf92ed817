import { describe, expect, it } from 'vitest';
import { clis } from '../../agents/index.js';
import { type AgentArguments, readAgentArguments } from './agent-arguments.js';

function read(name: string, ...own: readonly string[]): AgentArguments {
  const cli = clis.find((one) => one.name === name);
  if (cli === undefined) throw new Error(`unknown agent: ${name}`);
  return readAgentArguments(cli.words, own);
}

describe('arguments that a user passes to an agent', () => {
  it.each([
    ['claude', '--model', 'opus', '-p', 'say hi'],
    ['claude', '--resume=abc'],
    ['claude', '--resume', 'abc', 'go on with it'],
    ['claude', '--resume'],
    ['claude', '--resume', '--verbose'],
    ['gemini', '-p', 'hi'],
    ['gemini', 'say hi'],
    ['codex', 'exec', '--json', 'say hi'],
    ['codex', 'resume', '--last'],
    ['codex', 'resume', 'b4b1a2c3-0000-7000-8000-000000000000'],
    ['opencode', 'run', '-m', 'a/b', 'hi'],
    ['opencode', '--prompt', 'hi'],
  ])('are accepted if known: %s %s %s', (...[name, ...own]) => {
    expect(read(name, ...own)).toMatchObject({ kind: 'known' });
  });

  it.each([
    ['--tools', 'claude', '--tools', 'Bash'],
    ['--tools=Bash', 'claude', '--tools=Bash'],
    ['--mcp-config=x', 'claude', '--mcp-config=x'],
    ['mcp', 'claude', '--verbose', 'mcp', 'add'],
    ['--tools', 'claude', '--model', '--tools'],
    ['--tools', 'claude', '--resume', '--tools'],
    ['--bg', 'claude', '--bg'],
    ['--admin-policy', 'gemini', '--admin-policy', 'x'],
    ['--adminPolicy', 'gemini', '--adminPolicy', 'x'],
    ['-cfeatures.shell_tool=true', 'codex', '-cfeatures.shell_tool=true'],
    ['--remote', 'codex', '--remote', 'ws://x'],
    ['--agent=build', 'opencode', '--agent=build'],
    ['--attach', 'opencode', 'run', '--attach', 'x'],
    // It would take our next flag as its value.
    ['--model', 'claude', 'say hi', '--model'],
    ['-p', 'gemini', '-p'],
  ])('are refused if not on the allowed list: %s of %s %s', (word, name, ...own) => {
    expect(read(name, ...own)).toEqual({ kind: 'undoing', word });
  });

  it.each([
    ['claude', 'update'],
    ['claude', 'doctor'],
    ['claude', 'mcp'],
    ['claude', '-p', 'install'],
    ['gemini', 'extensions'],
    ['codex', 'app-server'],
    ['codex', 'mcp-server'],
    ['codex', '--model', 'x', 'update'],
    ['codex', 'exec', 'review'],
    ['opencode', 'serve'],
    ['opencode', '../another'],
    ['opencode', '--prompt', 'say hi', 'upgrade'],
  ])('are refused if they may be a subcommand of the agent: %s %s', (name, ...own) => {
    expect(read(name, ...own)).toEqual({ kind: 'undoing', word: own.at(-1) });
  });

  it('determine the model to test', () => {
    expect(read('codex', 'exec', '-m', 'a', 'say hi')).toEqual({ kind: 'known', model: 'a' });
    expect(read('claude', '--model=b')).toEqual({ kind: 'known', model: 'b' });
    expect(read('gemini', '-p', '--model=b')).toEqual({ kind: 'undoing', word: '--model=b' });
    expect(read('opencode', '--title', '-m', 'x')).toEqual({ kind: 'undoing', word: '-m' });
  });
});
