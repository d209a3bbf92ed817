import type { LaunchSettings } from './launch.js';

/** Settings for a plan; a test says what is different. */
export function planSettings(more: Partial<LaunchSettings> = {}): LaunchSettings {
  return {
    program: '/bin/agent',
    prompt: 'say "hi" there\n',
    isIsolated: true,
    isProven: true,
    server: 'tserver',
    agent: 'atserver',
    gate: { command: '/bin/node', args: ['/t.js', 'mcp-serve', '--config', '/s/t.json'] },
    folder: '/launch',
    keep: '/keep',
    env: { HOME: '/home/u', KEY: 'secret-key' },
    userFile: () => undefined,
    ...more,
  };
}

export const otherModel = { url: 'http://127.0.0.1:1/v1', keyEnv: 'KEY' };
