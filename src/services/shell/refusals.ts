import { existsSync, realpathSync } from 'node:fs';
import { ToolFailure } from '../../kernel/tool-failure.js';
import { isInside } from './inside.js';

export const maxRunning = 64;
/** The system takes no argument above 128 KiB. */
const maxCommandBytes = 120_000;

/** What no shell would take. */
export function refuseOdd(command: string): void {
  if (command.includes('\0')) {
    throw new ToolFailure('unsupported', 'A command cannot hold a NUL character; leave it out.', {
      reason: 'nul_in_command',
    });
  }
  if (Buffer.byteLength(command) > maxCommandBytes) {
    throw new ToolFailure(
      'unsupported',
      `A command has at most ${maxCommandBytes} bytes; write a script and run it.`,
      {
        reason: 'command_too_long',
        suggestion: 'Write the script to a file with Write, then run that file.',
      },
    );
  }
}

/** Whoever puts a link in the place of a root would lead every command elsewhere. */
export function refuseMovedRoots(roots: readonly string[]): void {
  const moved = roots.find((root) => realOf(root) !== root || !existsSync(root));
  if (moved === undefined) return;
  throw new ToolFailure('refused', `The workspace root ${moved} is not the folder that it was.`, {
    reason: 'root_gone',
    suggestion: 'Ask the operator to look at the workspace and to start the gate again.',
  });
}

/** The state says what is trusted. In a folder that commands may write, one could put another state in its place. */
export function refuseStateInside(roots: readonly string[], stateDir: string): void {
  const state = realOf(stateDir);
  const root = roots.find((one) => isInside(state, one));
  if (root === undefined) return;
  throw new ToolFailure('refused', `The gate keeps its state inside of the workspace root ${root}.`, {
    reason: 'state_in_workspace',
    suggestion: 'Ask the operator to set TIDEGATE_HOME to a folder outside, or to choose a narrower root.',
  });
}

export function notStarted(error: unknown): never {
  const words = error instanceof Error ? error.message : String(error);
  throw new ToolFailure('failed', `The command could not be started: ${words}`, { reason: 'not_started' });
}

export function closing(): ToolFailure {
  return new ToolFailure('bad_state', 'The gate is closing; nothing is started any more.', {
    reason: 'closing',
  });
}

export function tooMany(): ToolFailure {
  return new ToolFailure('bad_state', `${maxRunning} commands run already; try again when one has ended.`, {
    reason: 'too_many_commands',
    retryable: true,
  });
}

export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

export function sessionOver(): ToolFailure {
  return new ToolFailure('bad_state', 'The session has ended; nothing is started for it any more.', {
    reason: 'session_over',
  });
}
