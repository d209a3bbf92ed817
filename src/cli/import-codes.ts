import { exitCodes } from './exit-codes.js';

/** What can go wrong with taking over the servers of clients, and with secrets that are kept. */
export const importCodes = {
  'import.unknown_client': {
    exit: exitCodes.notFound,
    meaning: 'There is no client of that name to import from.',
    remedy: 'See what is found without a name: `tidegate import --dry-run`.',
  },
  'import.unreadable': {
    exit: exitCodes.usage,
    meaning: 'A file of a client cannot be read, or is no file.',
    remedy: 'Look at what stands there, or name the other clients: `tidegate import cursor`.',
  },
  'import.too_large': {
    exit: exitCodes.usage,
    meaning: 'A file of a client is larger than any configuration.',
    remedy: 'Look at what stands there, or name the other clients: `tidegate import cursor`.',
  },
  'import.broken': {
    exit: exitCodes.usage,
    meaning: 'A file of a client is not the JSON or TOML that it should be.',
    remedy: 'Correct the line that is named, then try again.',
  },
  'import.foreign_file': {
    exit: exitCodes.usage,
    meaning: 'A file to change belongs to another user.',
    remedy: 'Let its owner run the command.',
  },
  'import.read_only': {
    exit: exitCodes.usage,
    meaning: 'A file to change is read-only.',
    remedy: 'Make it writable, then try again.',
  },
  'import.unwritable': {
    exit: exitCodes.usage,
    meaning: 'A file to change cannot be written.',
    remedy: 'Look at the rights of its folder, then try again.',
  },
  'import.changed': {
    exit: exitCodes.usage,
    meaning: 'A file changed since it was shown, or since the gate was put there.',
    remedy: 'Run it again; or, for an undo, keep the changes: `tidegate import --undo --keep-changes`.',
  },
  'import.moved': {
    exit: exitCodes.usage,
    meaning:
      'A link leads from a file that was pointed at the gate to another file; an undo does not follow it.',
    remedy: 'Look at the link and remove it, then: `tidegate import --undo`.',
  },
  'import.outside': {
    exit: exitCodes.usage,
    meaning: 'A file of the project is a link that leads out of the project; it is not followed.',
    remedy: 'Put the file itself there, or name the other clients: `tidegate import cursor`.',
  },
  'import.unverified': {
    exit: exitCodes.usage,
    meaning: 'A file cannot be changed without changing something else too.',
    remedy: 'Write the lines that are shown by hand.',
  },
  'import.not_undoable': {
    exit: exitCodes.usage,
    meaning: 'The backup of a file is damaged.',
    remedy: 'Look into `backups` of the state folder, and put the servers back by hand.',
  },
  'import.nothing_to_undo': {
    exit: exitCodes.notFound,
    meaning: 'No file was pointed at the gate.',
    remedy: 'Point one at it: `tidegate import --point`.',
  },
  'import.not_asked': {
    exit: exitCodes.untrusted,
    meaning: 'Writing and trusting needs a person at a terminal, or `--yes`.',
    remedy: 'Look at it with `tidegate import --dry-run`, then add `--yes`.',
  },
  'import.variables_unset': {
    exit: exitCodes.usage,
    meaning:
      'The gate would not start from the files of clients: tidegate.yaml refers to variables that have no value.',
    remedy:
      'Give them one: `--secrets keep`, or `tidegate secrets set NAME`; or point all the same with `--force`.',
  },
  'import.passing_gate': {
    exit: exitCodes.usage,
    meaning: 'Tidegate was started by npx, and would be gone when a client starts it later.',
    remedy:
      'Install it with `npm install --global`, then point; or, if it is on the registry, add `--gate npx`.',
  },
  'import.untrusted': {
    exit: exitCodes.untrusted,
    meaning: 'The tidegate.yaml to add to is not trusted, and `--yes` does not trust what others wrote.',
    remedy: 'Look at it and trust it: `tidegate trust`; or import at a terminal, which shows all of it.',
  },
  'import.refused': {
    exit: exitCodes.untrusted,
    meaning: 'The person at the terminal said no.',
    remedy: 'Nothing was written. Look at it again with `tidegate import --dry-run`.',
  },
  'secrets.not_found': {
    exit: exitCodes.notFound,
    meaning: 'No value of that name is kept.',
    remedy: 'See what is kept: `tidegate secrets list`.',
  },
} as const;
