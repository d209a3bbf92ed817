import { relative, sep } from 'node:path';
import { isInside } from './names.js';

/** A place that file tools never write, in any folder of the workspace, because what stands there makes things run. */
export interface ProtectedPath {
  /** Relative, with slashes. Of a folder everything below it is meant too. */
  readonly path: string;
  readonly kind: 'file' | 'folder';
  /** The end of a sentence: `it …`. */
  readonly why: string;
}

const gate = 'it decides what this gate lets pass';
const git = 'it makes git run commands';
const agent = 'it makes an agent or an editor run commands';

/** The one table. The sandbox of commands makes the same places read-only. */
export const protectedPaths: readonly ProtectedPath[] = [
  { path: '.tidegate', kind: 'folder', why: gate },
  { path: 'tidegate.yaml', kind: 'file', why: gate },
  { path: 'tidegate.yml', kind: 'file', why: gate },
  { path: '.git/hooks', kind: 'folder', why: git },
  { path: '.git/config', kind: 'file', why: git },
  { path: '.git/config.worktree', kind: 'file', why: git },
  { path: '.mcp.json', kind: 'file', why: agent },
  { path: '.claude', kind: 'folder', why: agent },
  { path: '.claude.json', kind: 'file', why: agent },
  { path: '.gemini', kind: 'folder', why: agent },
  { path: '.codex', kind: 'folder', why: agent },
  { path: '.opencode', kind: 'folder', why: agent },
  { path: 'opencode.json', kind: 'file', why: agent },
  { path: 'opencode.jsonc', kind: 'file', why: agent },
  { path: '.cursor', kind: 'folder', why: agent },
  { path: '.windsurf', kind: 'folder', why: agent },
  { path: '.roo', kind: 'folder', why: agent },
  { path: '.kiro', kind: 'folder', why: agent },
  { path: '.qwen', kind: 'folder', why: agent },
  { path: '.amazonq', kind: 'folder', why: agent },
  { path: '.continue', kind: 'folder', why: agent },
  { path: '.crush.json', kind: 'file', why: agent },
  { path: 'crush.json', kind: 'file', why: agent },
  { path: '.aider.conf.yml', kind: 'file', why: agent },
  { path: '.vscode/mcp.json', kind: 'file', why: agent },
  { path: '.vscode/settings.json', kind: 'file', why: agent },
  { path: '.vscode/tasks.json', kind: 'file', why: agent },
  { path: '.zed/settings.json', kind: 'file', why: agent },
  { path: '.zed/tasks.json', kind: 'file', why: agent },
];

// Of submodules and worktrees, whose folders lie deeper inside `.git`, and what points git to other such folders.
const gitNames: ReadonlySet<string> = new Set([
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
  'alternates',
]);

/** Why a real path is never written, or undefined when it may be. Fails closed for spellings that some systems equate. */
export function protectionOf(root: string, path: string): string | undefined {
  const names = relative(root, path).split(sep).map(folded);
  const row = protectedPaths.find((one) => leadsTo(names, one.path.split('/')));
  if (row !== undefined) return row.why;
  const inGit = names.indexOf('.git');
  // The file `.git` of a worktree or submodule says where its configuration is.
  if (inGit === -1) return undefined;
  return inGit === names.length - 1 || names.slice(inGit + 1).some((name) => gitNames.has(name)) ? git : undefined;
}

export function isProtected(root: string, path: string): boolean {
  return !isInside(path, root) || protectionOf(root, path) !== undefined;
}

/** True when the row stands anywhere in the path, as itself or as a folder on the way. */
function leadsTo(names: readonly string[], row: readonly string[]): boolean {
  return names.some((_, index) => row.every((name, offset) => names[index + offset] === name));
}

/** One spelling for all that a system might take for the same name: case, width, invisible signs, Windows' endings. */
function folded(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/(?!^):.*$/su, '')
    .replace(/[. ]+$/u, '');
}
