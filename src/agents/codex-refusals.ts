import type { CliEvent, Json } from './launch.js';

/** Messages of commands blocked by its sandbox. Codex itself reports only exit codes. */
const blocked = /Read-only file system|Operation not permitted|^bwrap: /im;

export function isBlocked({ type, status, exit_code: code }: Json, text: string): boolean {
  if (type === 'file_change') return status === 'failed';
  return type === 'command_execution' && code !== 0 && blocked.test(text);
}

/** A patch denied by its sandbox appears as an error line, not as an event. */
export function createErrorReader(): (line: string) => readonly CliEvent[] {
  let count = 0;
  return (line) => {
    const text = /codex_core::tools::router: error=(.*\brejected\b.*)/.exec(line)?.[1];
    if (text === undefined) return [];
    count += 1;
    const name = text.startsWith('patch ') ? 'apply_patch' : 'exec_command';
    const id = `refused_${String(count)}`;
    return [{ kind: 'result', id, name, isNative: true, hasRun: false, isRefused: true, text }];
  };
}
