import { codeOf } from '../../lib/error-code.js';
import { ToolFailure } from '../../core/index.js';
import { shown } from './names.js';

/** The same for every path outside the workspace, so that it does not reveal what exists there. */
export function outside(given: string, roots: readonly string[]): ToolFailure {
  return new ToolFailure('refused', `${shown(given)} is outside the workspace.`, {
    reason: 'outside_workspace',
    details: { roots },
    suggestion: 'Use a path inside the workspace; a relative path starts at its first root.',
  });
}

export function badPath(given: string, why: string): ToolFailure {
  return new ToolFailure('refused', `${shown(given)} is not a usable path: ${why}.`, {
    reason: 'bad_path',
    suggestion: 'Use the plain name of a file in the workspace.',
  });
}

export function notFound(given: string): ToolFailure {
  return new ToolFailure('not_found', `${shown(given)} does not exist.`, {
    reason: 'no_such_file',
    suggestion: 'Look for the right name with Glob.',
  });
}

export function isFolder(given: string): ToolFailure {
  return new ToolFailure('bad_state', `${shown(given)} is a folder, not a file.`, {
    reason: 'is_folder',
    suggestion: 'List its contents with Glob, then pass the path of a file.',
  });
}

export function notAFile(given: string, kind: string): ToolFailure {
  return new ToolFailure('unsupported', `${shown(given)} is ${kind}, not a regular file.`, {
    reason: 'not_a_regular_file',
    suggestion: 'Only regular files can be read and written.',
  });
}

export function rootGone(root: string): ToolFailure {
  return new ToolFailure('bad_state', `The workspace root ${shown(root)} was removed or moved.`, {
    reason: 'root_gone',
    suggestion: 'Ask a person to restore it, or to restart Tidegate.',
  });
}

export function tooManyLinks(given: string): ToolFailure {
  return new ToolFailure('bad_state', `${shown(given)} goes through too many symbolic links.`, {
    reason: 'too_many_links',
    suggestion: 'Use the path of the file itself, not of a link to it.',
  });
}

export function protectedPath(given: string, why: string): ToolFailure {
  return new ToolFailure('refused', `${shown(given)} is protected and is never written: ${why}.`, {
    reason: 'protected_path',
    suggestion: 'Ask a person to make this change.',
  });
}

export function tooLarge(given: string, bytes: number, limit: number): ToolFailure {
  return new ToolFailure(
    'unsupported',
    `${shown(given)} has ${bytes} bytes, more than the ${limit} allowed here.`,
    {
      reason: 'too_large',
      details: { bytes, limit },
      suggestion: 'Read it in parts, or change it with a command.',
    },
  );
}

export function notEncodable(given: string, encoding: string): ToolFailure {
  return new ToolFailure(
    'unsupported',
    `The text contains characters that ${encoding}, the encoding of ${shown(given)}, cannot represent.`,
    {
      reason: 'not_encodable',
      suggestion: 'Remove what cannot be encoded, such as half of a surrogate pair.',
    },
  );
}

export function changedSinceRead(given: string): ToolFailure {
  return new ToolFailure(
    'conflict',
    `${shown(given)} has changed since this session last saw it; nothing was written.`,
    {
      reason: 'changed_since_read',
      suggestion: 'Read the file again, then decide what to change.',
    },
  );
}

export function notRead(given: string): ToolFailure {
  return new ToolFailure(
    'bad_state',
    `${shown(given)} exists and has not been read in this session; nothing was written.`,
    {
      reason: 'not_read',
      suggestion: 'Read the file first, then write it.',
    },
  );
}

export function cancelled(): ToolFailure {
  return new ToolFailure('timeout', 'The call was cancelled before anything was written.', {
    reason: 'cancelled',
    retryable: true,
  });
}

type Row = readonly [
  code: 'refused' | 'bad_state' | 'not_found',
  reason: string,
  says: string,
  isRetryable?: true,
];

const errnoRows: Readonly<Record<string, Row>> = {
  ENOENT: ['not_found', 'no_such_file', 'does not exist'],
  ENOTDIR: ['not_found', 'no_such_file', 'does not exist, because a part of its path is not a folder'],
  EACCES: ['refused', 'no_permission', 'cannot be used: the user that runs Tidegate has no permission'],
  EPERM: ['refused', 'no_permission', 'cannot be used: the system does not permit it'],
  EROFS: ['refused', 'read_only', 'is on a read-only file system'],
  ENOSPC: ['bad_state', 'disk_full', 'was not changed: the disk is full'],
  EDQUOT: ['bad_state', 'disk_full', 'was not changed: the disk quota is used up'],
  EFBIG: ['bad_state', 'disk_full', 'was not changed: it would be larger than the system allows'],
  EISDIR: ['bad_state', 'is_folder', 'is a folder, not a file'],
  ELOOP: ['bad_state', 'too_many_links', 'goes through too many symbolic links'],
  ENAMETOOLONG: ['refused', 'bad_path', 'is not a usable path: a name in it is too long'],
  EMFILE: ['bad_state', 'too_many_open_files', 'cannot be opened now: too many files are open', true],
  ENFILE: ['bad_state', 'too_many_open_files', 'cannot be opened now: too many files are open', true],
};

/** Translates a system error for the agent. Any other error is a bug and passes through. */
export function fromSystem(error: unknown, given: string): unknown {
  const code = codeOf(error);
  if (error instanceof ToolFailure || typeof code !== 'string') return error;
  const row = errnoRows[code];
  if (row === undefined) {
    return new ToolFailure('failed', `${shown(given)} cannot be used: system error ${code}.`, {
      reason: 'system_error',
      details: { errno: code },
    });
  }
  const [workCode, reason, says, isRetryable = false] = row;
  return new ToolFailure(workCode, `${shown(given)} ${says}.`, { reason, retryable: isRetryable });
}
