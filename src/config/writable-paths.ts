import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { findEntry, type TreeNode } from '../lib/tree.js';
import type { Config } from './config.js';
import { configHomes } from './find.js';
import { dataHome } from './plugins/directories.js';
import type { Report } from './problem.js';
import { stateDirectory } from './state-path.js';
import type { Environment } from './substitute.js';

export interface WritablePlace {
  readonly home: string;
  readonly env: Environment;
  readonly roots: readonly string[];
  /** The configuration file and the files that it names. */
  readonly ownFiles: readonly string[];
}

export function writablePlaceOf(
  config: Config,
  { home, env }: Pick<WritablePlace, 'home' | 'env'>,
): WritablePlace {
  const { workspace, store, log, access, file } = config;
  const own = [
    file,
    log.file,
    access.profiles,
    access.model,
    store.kind === 'sqlite' ? store.file : undefined,
  ];
  return { home, env, roots: workspace.roots, ownFiles: own.filter((path) => path !== undefined) };
}

/** Returns why sandboxed commands must not write there, or undefined if they may. */
export type WhyNotWritable = (path: string) => string | undefined;

interface Kept {
  readonly path: string;
  readonly what: string;
}

/** Folders that control the rest of the system. */
const system =
  '/bin /boot /dev /etc /lib /lib32 /lib64 /proc /run /sbin /sys /tmp /usr /var/lib /var/run /var/spool'.split(
    ' ',
  );

/** Credentials, and files that programs of the user run or obey. Relative to the home directory. */
const ofHome: Readonly<Record<string, readonly string[]>> = {
  'keys and passwords':
    '.ssh .gnupg .aws .azure .kube .docker .netrc .git-credentials .password-store .config/gcloud .config/gh .local/share/keyrings'.split(
      ' ',
    ),
  'shell startup files':
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .cshrc .tcshrc .login .inputrc .oh-my-zsh .config/fish .config/nushell .direnvrc .config/direnv'.split(
      ' ',
    ),
  'programs and settings that run when you log in':
    '.xprofile .xinitrc .xsession .xsessionrc .pam_environment .config/environment.d .config/systemd .config/autostart .local/share/systemd .local/share/applications .local/share/dbus-1 .local/bin bin'.split(
      ' ',
    ),
  'agent and editor settings':
    '.claude .claude.json .config/claude .config/Claude .codex .gemini .opencode .config/opencode .local/share/opencode .cursor .config/Cursor .vscode .vscode-server .config/Code .continue .copilot .config/github-copilot .codeium .windsurf .roo .kiro .qwen .amazonq .aider.conf.yml .crush.json .config/crush .config/zed .vim .vimrc .config/nvim .emacs .emacs.d .config/emacs .mcp.json'.split(
      ' ',
    ),
};

/** Environment variables that move such settings elsewhere. */
const movedBy = ['ZDOTDIR', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'GEMINI_CLI_HOME', 'OPENCODE_CONFIG_DIR'];

/** Rejects a folder that is inside a protected path or contains one, by name or through links. */
export function createWritableRule(place: WritablePlace): WhyNotWritable {
  const kept = keptPlaces(place).flatMap((one) => namesOf(one.path).map((path) => ({ ...one, path })));
  return (given) => {
    for (const path of namesOf(given)) {
      const found = kept.find((one) => isInside(path, one.path) || isInside(one.path, path));
      if (found !== undefined) return `it would let commands change ${found.what} (${found.path})`;
    }
    return undefined;
  };
}

function keptPlaces({ home, env, roots, ownFiles }: WritablePlace): readonly Kept[] {
  const moved = movedBy.flatMap((name) => env[name] ?? []).filter((path) => path.startsWith('/'));
  const own = [
    ...[env, { ...env, TIDEGATE_HOME: undefined }].map((one) => stateDirectory(one)),
    stateDirectory({ ...env, TIDEGATE_HOME: undefined, XDG_STATE_HOME: undefined }),
    ...configHomes(env),
    ...['tidegate', 'awf'].map((name) => join(dataHome(env), name)),
    ...ownFiles,
  ];
  return [
    ...roots.map((path) => ({ path, what: 'the workspace, where protected files must stay read-only' })),
    ...own.map((path) => ({ path, what: 'Tidegate files' })),
    ...Object.entries(ofHome).flatMap(([what, names]) =>
      names.map((name) => ({ path: join(home, name), what })),
    ),
    ...moved.map((path) => ({ path, what: 'agent and shell settings' })),
    ...system
      .map((path) => ({ path, what: 'the system' }))
      .filter(({ path }) => !isAround(path, home, roots)),
  ];
}

/** A home or workspace under /tmp is not part of the system, but its siblings are. */
function isAround(path: string, home: string, roots: readonly string[]): boolean {
  return [home, ...roots].some((one) => isInside(one, path));
}

export interface WritableEntries {
  /** The text in the file, and the absolute path. */
  readonly entries: readonly { readonly text: string; readonly path: string }[];
  readonly root: TreeNode;
  readonly report: Report;
}

export function checkWritable({ entries, root, report }: WritableEntries, whyNot: WhyNotWritable): void {
  for (const [index, { text, path }] of entries.entries()) {
    const why = text.includes('${') ? undefined : whyNot(path);
    if (why === undefined) continue;
    const at = ['shell', 'writable', index];
    const entry = findEntry(root, at) ?? findEntry(root, ['shell', 'writable']);
    report({
      code: 'config.bad_value',
      path: at,
      offset: entry?.start ?? 0,
      message: `shell.writable must not include ${text}: ${why}.`,
      remedy: 'Use a folder that belongs to one tool, such as ~/.cargo or ~/.m2.',
    });
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function namesOf(path: string): readonly string[] {
  return [...new Set([path, realOf(path)])];
}

/** The real path, even for paths that do not exist yet. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}
