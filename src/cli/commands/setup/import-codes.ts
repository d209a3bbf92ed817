import { exitCodes } from '../../exit-codes.js';

/** Errors of `import` and `secrets`. */
export const importCodes = {
  'import.unknown_client': {
    exit: exitCodes.notFound,
    meaning: 'Unknown client.',
    remedy: 'To list the clients found here: `tidegate import --dry-run`.',
  },
  'import.unreadable': {
    exit: exitCodes.usage,
    meaning: 'A client file cannot be read, or is not a regular file.',
    remedy: 'Check the file, or import from the other clients by name: `tidegate import cursor`.',
  },
  'import.too_large': {
    exit: exitCodes.usage,
    meaning: 'A client file is too large for a configuration file.',
    remedy: 'Check the file, or import from the other clients by name: `tidegate import cursor`.',
  },
  'import.broken': {
    exit: exitCodes.usage,
    meaning: 'A client file is not valid JSON or TOML.',
    remedy: 'Fix the reported line, then try again.',
  },
  'import.foreign_file': {
    exit: exitCodes.usage,
    meaning: 'A file that must be changed belongs to another user.',
    remedy: 'Run the command as the owner of the file.',
  },
  'import.read_only': {
    exit: exitCodes.usage,
    meaning: 'A file that must be changed is read-only.',
    remedy: 'Make it writable, then try again.',
  },
  'import.unwritable': {
    exit: exitCodes.usage,
    meaning: 'A file that must be changed cannot be written.',
    remedy: 'Check the permissions of its folder, then try again.',
  },
  'import.changed': {
    exit: exitCodes.usage,
    meaning: 'A file has changed since it was shown, or since --point changed it.',
    remedy: 'Run the command again. To undo and keep your edits: `tidegate import --undo --keep-changes`.',
  },
  'import.moved': {
    exit: exitCodes.usage,
    meaning: 'A file that --point changed is now a symbolic link. --undo does not follow it.',
    remedy: 'Inspect and remove the link, then run `tidegate import --undo`.',
  },
  'import.outside': {
    exit: exitCodes.usage,
    meaning: 'A project file is a symbolic link to a place outside the project. It is not followed.',
    remedy:
      'Replace the link with the file, or import from the other clients by name: `tidegate import cursor`.',
  },
  'import.unverified': {
    exit: exitCodes.usage,
    meaning: 'A file cannot be changed without affecting other settings in it.',
    remedy: 'Add the lines shown in the message by hand.',
  },
  'import.not_undoable': {
    exit: exitCodes.usage,
    meaning: 'The backup of a file is damaged.',
    remedy: 'Check `backups` in the state folder, and restore the servers by hand.',
  },
  'import.nothing_to_undo': {
    exit: exitCodes.notFound,
    meaning: 'No client file was changed by --point.',
    remedy: 'To connect your clients to Tidegate: `tidegate import --point`.',
  },
  'import.not_asked': {
    exit: exitCodes.untrusted,
    meaning: 'Writing and trusting files requires confirmation in a terminal, or `--yes`.',
    remedy: 'Review the changes with `tidegate import --dry-run`, then add `--yes`.',
  },
  'import.variables_unset': {
    exit: exitCodes.usage,
    meaning:
      'Clients could not start Tidegate, because tidegate.yaml refers to variables that have no value.',
    remedy:
      'Set them with `--secrets keep` or `tidegate secrets set NAME`, or continue anyway with `--force`.',
  },
  'import.passing_gate': {
    exit: exitCodes.usage,
    meaning: 'Tidegate was started with npx and would not be available when a client starts it later.',
    remedy:
      'Install it with `npm install --global` and try again, or add `--gate npx` if the package is in the registry.',
  },
  'import.untrusted': {
    exit: exitCodes.untrusted,
    meaning:
      'The existing tidegate.yaml is not trusted, and `--yes` does not trust content that you have not reviewed.',
    remedy: 'Review and trust it with `tidegate trust`, or import in a terminal, which shows the whole file.',
  },
  'import.refused': {
    exit: exitCodes.untrusted,
    meaning: 'The confirmation was declined.',
    remedy: 'Nothing was written. To review the changes again, run `tidegate import --dry-run`.',
  },
  'secrets.not_found': {
    exit: exitCodes.notFound,
    meaning: 'No secret with that name is stored.',
    remedy: 'List the stored secrets: `tidegate secrets list`.',
  },
} as const;
