import { relative, sep } from 'node:path';
import { foldedName } from '../../lib/folded-name.js';
import { isInside } from './names.js';

/** A path that file tools never write, in any folder of the workspace, because its content can start programs. */
interface ProtectedPath {
  /**
   * Relative, with slashes. A folder includes everything below it. A slash at the end: agents or git use the
   * folder as soon as it exists, so the sandbox prevents its creation.
   */
  readonly path: string;
  /** The end of a sentence that starts with `it`. */
  readonly why: string;
}

const gate = 'it controls what Tidegate allows';
const git = 'it makes git run commands';
const agent = 'it makes an agent or an editor run commands';

const table: readonly ProtectedPath[] = [
  { path: '.tidegate/', why: gate },
  { path: 'tidegate.yaml', why: gate },
  { path: 'tidegate.yml', why: gate },
  // Plugins and workflows, with their scripts and prompts.
  { path: '.awf/', why: gate },
  { path: '.git/hooks/', why: git },
  { path: '.git/config', why: git },
  { path: '.git/config.worktree', why: git },
  // In a worktree: where the rest of its repository is. In `.git` itself, it would point git to another
  // configuration.
  { path: '.git/commondir', why: git },
  { path: '.git/gitdir', why: git },
  { path: '.git/objects/info/alternates', why: git },
  { path: '.husky', why: git },
  { path: '.mcp.json', why: agent },
  { path: '.claude/', why: agent },
  { path: '.claude.json', why: agent },
  { path: '.gemini/', why: agent },
  { path: '.codex/', why: agent },
  { path: '.opencode/', why: agent },
  { path: 'opencode.json', why: agent },
  { path: 'opencode.jsonc', why: agent },
  { path: '.cursor/', why: agent },
  { path: '.windsurf/', why: agent },
  { path: '.roo/', why: agent },
  { path: '.kiro/', why: agent },
  { path: '.qwen/', why: agent },
  { path: '.amazonq/', why: agent },
  { path: '.continue/', why: agent },
  { path: '.crush.json', why: agent },
  { path: 'crush.json', why: agent },
  { path: '.aider.conf.yml', why: agent },
  { path: '.vscode/launch.json', why: agent },
  { path: '.vscode/mcp.json', why: agent },
  { path: '.vscode/settings.json', why: agent },
  { path: '.vscode/tasks.json', why: agent },
  { path: '.zed/debug.json', why: agent },
  { path: '.zed/settings.json', why: agent },
  { path: '.zed/tasks.json', why: agent },
  { path: '.idea/runConfigurations', why: agent },
  { path: '.run', why: agent },
  { path: '.devcontainer', why: agent },
  { path: '.devcontainer.json', why: agent },
  { path: '.envrc', why: 'it makes a shell run commands' },
];

/** For the command sandbox, which makes the same paths read-only. */
export const protectedPlaces: readonly string[] = table.map(({ path }) => path);

export const protectedPaths: readonly string[] = protectedPlaces.map((path) => path.replace(/\/$/, ''));

const rows = table.map(({ why }, index) => ({
  names: (protectedPaths[index] ?? '').toLowerCase().split('/'),
  why,
}));

// The same names apply to submodules and worktrees, whose folders are deeper inside `.git`.
const gitNames: ReadonlySet<string> = new Set(
  protectedPaths
    .filter((path) => path.startsWith('.git/'))
    .map((path) => path.slice(path.lastIndexOf('/') + 1)),
);

/** A link in the index points git to another repository, with its own configuration. */
const indexName = /^(?:shared)?index(?:$|\.)/;

/**
 * Why a real path must not be written; undefined if it may. Fails closed for spellings that some systems
 * treat as equal.
 */
export function protectionOf(root: string, path: string): string | undefined {
  const names = relative(root, path).split(sep).map(foldedName);
  const row = rows.find((one) => leadsTo(names, one.names));
  if (row !== undefined) return row.why;
  const inGit = names.indexOf('.git');
  // The file `.git` of a worktree or submodule says where its configuration is.
  if (inGit === -1) return undefined;
  const isArming = (name: string) => gitNames.has(name) || indexName.test(name);
  return inGit === names.length - 1 || names.slice(inGit + 1).some(isArming) ? git : undefined;
}

export function isProtected(root: string, path: string): boolean {
  return !isInside(path, root) || protectionOf(root, path) !== undefined;
}

/** True if the row occurs anywhere in the path, as the target or as a parent folder. */
function leadsTo(names: readonly string[], row: readonly string[]): boolean {
  return names.some((_, index) => row.every((name, offset) => names[index + offset] === name));
}
