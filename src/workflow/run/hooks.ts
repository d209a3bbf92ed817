import { messageOf } from '../../lib/error-message.js';
import type { HookActions } from '../grammar/workflow.js';
import type { Frame, Place, Reader } from './frame.js';
import { runShell } from './shell.js';

const longestMs = 60_000;

/** Runs hooks in order. A failure is logged and does not affect the run. */
export async function runHooks(
  actions: HookActions | undefined,
  read: () => Reader,
  frame: Frame,
  { path, signal }: Pick<Place, 'path' | 'signal'>,
): Promise<void> {
  if (actions === undefined || actions.length === 0) return;
  const reader = read();
  const { onEvent } = frame.parts;
  const emit = (text: string, isWarning: boolean): void => onEvent({ kind: 'log', path, text, isWarning });
  for (const { log, command } of actions) {
    try {
      if (log !== undefined) emit(reader.text(log), false);
      if (command === undefined) continue;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(longestMs)]);
      const ran = await runShell({ command: reader.text(command), owner: `hook of ${path}` }, frame, limited);
      if (ran.exitCode !== 0) emit(`a hook exited with status ${String(ran.exitCode)}`, true);
    } catch (error) {
      emit(`a hook failed: ${messageOf(error)}`, true);
    }
  }
}
