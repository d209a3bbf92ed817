/** Every entry that Tidegate creates in the state directory; checked by test/wire/state-entries.test.ts. */
export const folders = [
  'upstreams',
  'names',
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
  'trusted',
  'active',
  'git-checks',
] as const;
export const files = [
  'trust.json',
  'secrets.json',
  'known-stores.json',
  'places.json',
  'serve.json',
  'token',
  'agents.json',
  'plugins-off.json',
  'exec.log.jsonl',
  'state.db',
  'state.db-wal',
  'state.db-shm',
  'state.db-reserve',
  'tidegate.yaml',
  'tidegate.yml',
] as const;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** The locks that are held to break a lock, and drafts of locks. */
const broken = `(?:\\.[0-9a-f]{16}){0,3}(?:\\.${uuid})?`;
/** Temporary names: drafts, locks and SQLite's first journal. */
const passing = new RegExp(
  `^(?:(?:trust|secrets|known-stores|places|agents|plugins-off)\\.json(?:\\.${uuid}\\.draft|\\.\\d+(?:\\.\\w+)?|\\.lock${broken})|import\\.lock${broken}|state\\.db-journal|\\.tidegate\\.ya?ml\\.${uuid}\\.tidegate)$`,
);
/** Names made by `mkdtemp`. */
const pipes = /^pipes-[A-Za-z0-9]{6}$/;
/** Entries of the user and of Node's compile cache; their modes are left alone. */
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

/** Whether this name is expected in the state directory. */
export function isKnown(name: string): boolean {
  return isOwnFolder(name) || isOwnFile(name) || passing.test(name) || pipes.test(name) || ofUser.test(name);
}

/**
 * Whether Tidegate may change the mode of an entry. In a shared directory, folders with common names are left alone;
 * only files with unmistakable names count as ours.
 */
export function isOurs(path: string, isShared: boolean): boolean {
  const [top = '', inner] = path.split('/');
  if (ofUser.test(top) || !isKnown(top)) return false;
  if (top === 'backups' && inner !== undefined) return backup.test(inner);
  return !isShared || (inner === undefined && !isOwnFolder(top) && !pipes.test(top));
}
