/** Kept true by test/wire/state-entries.test.ts: the program does all that it can, and nothing else may come to be. */
export const folders = [
  'upstreams',
  'plugins',
  'configs',
  'tools',
  'audit',
  'leases',
  'drafts',
  'locks',
  'sockets',
  'runs',
  'agents',
  'shell',
  'logins',
  'backups',
  'exec',
] as const;
export const files = [
  'trust.json',
  'secrets.json',
  'serve.json',
  'token',
  'agents.json',
  'plugins-off.json',
  'exec.log.jsonl',
  'state.db',
  'state.db-wal',
  'state.db-shm',
  'tidegate.yaml',
  'tidegate.yml',
] as const;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** Drafts, locks and SQLite's first journal, as they are named while a file is written, and locks that were broken. */
const passing = new RegExp(
  `^(?:(?:trust|secrets|agents|plugins-off)\\.json(?:\\.${uuid}\\.draft|\\.\\d+(?:\\.\\w+)?|\\.lock(?:\\.${uuid})?)|import\\.lock(?:\\.${uuid})?|state\\.db-journal|\\.tidegate\\.ya?ml\\.${uuid}\\.tidegate)$`,
);
/** As `mkdtemp` names them. */
const pipes = /^pipes-[A-Za-z0-9]{6}$/;
/** What the user himself may keep there, and what Node compiles: with the rights that they gave it. */
const ofUser = /^(?:compiled|tidegate\.ya?ml|workflows|templates|prompts|scripts|skills|roles)$/;
const backup = /^\d{4}-\d\d-\d\dT[\d-]+Z-[a-z-]+-[0-9a-f]{8}\.(?:json|before|after|replaced)(?:\.[\w.-]+)?$/;

export function isOwnFolder(name: string): boolean {
  return folders.some((folder) => folder === name);
}

export function isOwnFile(name: string): boolean {
  return files.some((file) => file === name);
}

export function isPipesFolder(name: string): boolean {
  return pipes.test(name);
}

/** Whether a name of the state directory is expected there. */
export function isKnown(name: string): boolean {
  return isOwnFolder(name) || isOwnFile(name) || passing.test(name) || pipes.test(name) || ofUser.test(name);
}

/**
 * Whether the rights of an entry are ours to change. In a directory that somebody else uses too, folders with names that
 * anybody could give are left alone: only files that nobody else would call so are ours then.
 */
export function isOurs(path: string, isShared: boolean): boolean {
  const [top = '', inner] = path.split('/');
  if (ofUser.test(top) || !isKnown(top)) return false;
  if (top === 'backups' && inner !== undefined) return backup.test(inner);
  return !isShared || (inner === undefined && !isOwnFolder(top) && !pipes.test(top));
}
