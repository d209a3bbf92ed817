import { existsSync, realpathSync } from 'node:fs';
import { messageOf } from '../../lib/error-message.js';
import type { RunRefusal } from '../../ports/own-paths.js';
import { ToolFailure } from '../../core/index.js';

export const lockChangedReason = 'lock_changed';
export const maxRunning = 64;
export const reservedRunning = 4;
/** The system accepts no argument above 128 KiB. */
const maxCommandBytes = 120_000;

/** Refuses commands that no shell accepts. */
export function refuseOdd(command: string): void {
  if (command.includes('\0')) {
    throw new ToolFailure('unsupported', 'A command cannot contain a NUL character; remove it.', {
      reason: 'nul_in_command',
    });
  }
  if (Buffer.byteLength(command) > maxCommandBytes) {
    throw new ToolFailure(
      'unsupported',
      `A command can have at most ${maxCommandBytes} bytes; write a script and run that.`,
      {
        reason: 'command_too_long',
        suggestion: 'Write the script to a file with Write, then run that file.',
      },
    );
  }
}

/** A link in place of a root would redirect every command. */
export function refuseMovedRoots(roots: readonly string[]): void {
  const moved = roots.find((root) => realOf(root) !== root || !existsSync(root));
  if (moved === undefined) return;
  throw new ToolFailure('refused', `The workspace root ${moved} was replaced.`, {
    reason: 'root_gone',
    suggestion: 'Ask the operator to check the workspace and restart Tidegate.',
  });
}

/** Throws if Tidegate can't hide its own files from this command. */
export function refuseExposed(refusal: RunRefusal | undefined): void {
  if (refusal === undefined) return;
  const { message, reason, suggestion } = refusal;
  throw new ToolFailure('refused', message, { reason, suggestion });
}

/** Another running command could replace the file to mask, because the file was created after that command began. */
export function cannotHide(): ToolFailure {
  return new ToolFailure(
    'bad_state',
    'A file that commands must not see or change was added while another command is running, and Tidegate cannot hide it from this command.',
    {
      reason: 'cannot_hide_now',
      suggestion: 'Try again when the running commands have finished.',
      retryable: true,
    },
  );
}

/** Nothing of the command has run, so it can be started again at once. */
export function lockChanged(): ToolFailure {
  return new ToolFailure(
    'bad_state',
    'The operator trusted other files while the command was about to start, so it did not run.',
    { reason: lockChangedReason, suggestion: 'Run the command again.', retryable: true },
  );
}

/** The sandbox worked before, so something broke it: an attacker would want commands to run without it. */
export function sandboxBroken(program: string, reason: string): ToolFailure {
  return new ToolFailure(
    'bad_state',
    `The sandbox (${program}) worked before but fails now, so the command was not run: ${reason}`,
    {
      reason: 'sandbox_broken',
      suggestion:
        'Try again in a minute. If it keeps failing, ask the operator to run `tidegate doctor`, or to set `shell.sandbox: off`.',
      retryable: true,
    },
  );
}

export function tooManyTrees(): ToolFailure {
  return new ToolFailure(
    'refused',
    'The workspace has more than 512 git work trees. Tidegate cannot protect what git runs in all of them, so no command runs.',
    {
      reason: 'too_many_work_trees',
      suggestion: 'Ask the operator to start the gateway in a folder with fewer submodules.',
    },
  );
}

export function tooMuchConfiguration(): ToolFailure {
  return new ToolFailure(
    'refused',
    "Git's configuration in the workspace is too large to check, so nothing is written or run.",
    {
      reason: 'too_much_git_configuration',
      suggestion: 'Ask the operator to remove the repositories or included files that make it so large.',
    },
  );
}

export function unreadableConfiguration(file: string): ToolFailure {
  return new ToolFailure(
    'refused',
    `Git's configuration ${file} can't be read, so Tidegate can't tell what git would run. Nothing was written or run.`,
    {
      reason: 'unreadable_git_configuration',
      suggestion:
        'Ask the operator to look at the file and the folders above it: their owner must be able to read them.',
    },
  );
}

export function notStarted(error: unknown): never {
  if (error instanceof ToolFailure) throw error;
  const words = messageOf(error);
  throw new ToolFailure('failed', `The command could not be started: ${words}`, { reason: 'not_started' });
}

export function closing(): ToolFailure {
  return new ToolFailure('bad_state', 'Tidegate is shutting down; no new commands are started.', {
    reason: 'closing',
  });
}

export function tooMany(why: 'full' | 'share'): ToolFailure {
  const what =
    why === 'full'
      ? `${maxRunning} commands are already running`
      : 'You have reached your share of running commands';
  return new ToolFailure('bad_state', `${what}; try again when one has finished.`, {
    reason: 'too_many_commands',
    suggestion: 'Wait until one of your commands has finished, or stop a background command with KillBash.',
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
  return new ToolFailure('bad_state', 'The session has ended, so it cannot start commands.', {
    reason: 'session_over',
  });
}
