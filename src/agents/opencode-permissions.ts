import { type Json, type LaunchSettings, readJson } from './launch.js';
import { createGrants } from './native-permissions.js';

/** Maps to OpenCode permissions; one of them covers all tools that change files. */
export const opencodeGrant = createGrants({
  names: {
    Read: 'read',
    Write: 'edit',
    Edit: 'edit',
    Bash: 'bash',
    Glob: 'glob',
    Grep: 'grep',
    LS: 'list',
    Task: 'task',
    WebFetch: 'webfetch',
    WebSearch: 'websearch',
    write: 'edit',
    patch: 'edit',
    apply_patch: 'edit',
  },
  shell: 'bash',
  command: (only) => only.replace(/:\*$/, ' *'),
});

export function opencodePermissions({ env, natives: { level, allowed } }: LaunchSettings): Json {
  const users = readJson(env['OPENCODE_PERMISSION'] ?? '') ?? {};
  if (level === 'full') return users;
  const grants = allowed.map((tool) => opencodeGrant(tool)).filter((grant) => grant !== undefined);
  const commands = grants.flatMap(({ command }) => command ?? []);
  const whole = grants.filter(({ command }) => command === undefined).map(({ name }) => name);
  const bash = commands.length === 0 ? 'deny' : { '*': 'deny', ...allAllowed(commands) };
  return { ...users, bash, ...(level === 'read' && { edit: 'deny' }), ...allAllowed(whole) };
}

function allAllowed(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, 'allow'] as const));
}
