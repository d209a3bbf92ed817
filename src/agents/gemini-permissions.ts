import { join } from 'node:path';
import type { LaunchSettings, PlanFile } from './launch.js';
import { createGrants, type Grant, type NativeLevel, type NativePermissions } from './native-permissions.js';

const shell = 'run_shell_command';
const writers = ['write_file', 'replace', shell];
const approval: Readonly<Record<NativeLevel, string>> = { read: 'default', edit: 'auto_edit', full: 'yolo' };

export const geminiGrant = createGrants({
  names: {
    Read: 'read_file',
    Write: 'write_file',
    Edit: 'replace',
    Bash: shell,
    Glob: 'glob',
    Grep: 'grep_search',
    LS: 'list_directory',
    WebFetch: 'web_fetch',
    WebSearch: 'google_web_search',
  },
  shell,
  // It supports only command prefixes.
  command: (only) => /^([^*?]+?)(?: |:)\*$/.exec(only)?.[1],
});

const file = 'native-policy.toml';

export function geminiPermissions(settings: LaunchSettings): readonly string[] {
  const { natives, folder } = settings;
  const policy = rules(natives) === '' ? [] : ['--policy', join(folder, file)];
  return ['--approval-mode', approval[natives.level], ...policy];
}

export function geminiPolicy({ natives }: LaunchSettings): readonly PlanFile[] {
  const text = rules(natives);
  return text === '' ? [] : [{ path: file, text }];
}

/** Rules in the user's settings might allow what `read` must not. */
function rules({ level, allowed }: NativePermissions): string {
  const grants = allowed.map((tool) => geminiGrant(tool)).filter((grant) => grant !== undefined);
  const rule = ({ name, command }: Grant, decision: string, priority: number): string =>
    [
      '[[rule]]',
      `toolName = ${JSON.stringify(name)}`,
      ...(command === undefined ? [] : [`commandPrefix = ${JSON.stringify(command)}`]),
      `decision = "${decision}"`,
      `priority = ${String(priority)}\n`,
    ].join('\n');
  return [
    ...(level === 'read' ? writers : []).map((name) => rule({ name }, 'deny', 500)),
    ...grants.map((grant) => rule(grant, 'allow', 600)),
  ].join('\n');
}
