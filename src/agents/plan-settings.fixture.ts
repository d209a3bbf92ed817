import type { LaunchSettings } from './launch.js';

/** Settings for a plan; a test overrides what it needs. */
export function planSettings(more: Partial<LaunchSettings> = {}): LaunchSettings {
  return {
    program: '/bin/agent',
    prompt: 'say "hi" there\n',
    isIsolated: true,
    isProven: true,
    natives: { level: 'edit', allowed: [] },
    server: 'tserver',
    agent: 'atserver',
    gatewayCommand: { command: '/bin/node', args: ['/t.js', 'mcp-serve', '--config', '/s/t.json'] },
    workspace: '/work/project',
    folder: '/launch',
    keep: '/keep',
    env: { HOME: '/home/u', KEY: 'secret-key' },
    userFile: () => undefined,
    ...more,
  };
}

/** Prevents isolated CLIs from running git in the workspace. */
export const noGit = { GIT_DIR: '/launch/no-repository' };
export const otherModel = { url: 'http://127.0.0.1:1/v1', keyEnv: 'KEY' };
