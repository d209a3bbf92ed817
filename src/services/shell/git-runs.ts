import { lstatSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { type GitSetting, parseGitConfig } from './git-config.js';
import { entriesIn } from './folder-names.js';
import { isHarmlessConfig } from './harmless-config.js';
import { lookAt, readPlainFile } from './plain-file.js';
import { tooMuchConfiguration, unreadableConfiguration } from './refusals.js';

export interface GitRunsParts {
  /** The folder where git runs hooks and commands of this repository. */
  readonly tree: string;
  /** The configuration files that git reads for it. Missing ones are skipped. */
  readonly configs: readonly string[];
  readonly reading: ConfigReading;
}

/** The configuration read during one inspection, and how much more may be read. */
export interface ConfigReading {
  readonly known: Map<string, readonly GitSetting[]>;
  bytes: number;
  words: number;
}

/** Commands can create repositories with endless configuration. */
export function newConfigReading(): ConfigReading {
  return { known: new Map(), bytes: 2 * 1024 * 1024, words: 20_000 };
}

/** What git reads settings from or runs because of a configuration. Absolute paths, existing or not. */
export interface GitRuns {
  /** Configuration files that other files include. */
  readonly included: ReadonlySet<string>;
  readonly hookFolders: ReadonlySet<string>;
  /** Files that commands in the configuration name. */
  readonly commandFiles: ReadonlySet<string>;
}

/** The depth to which git follows includes. */
const maxIncludes = 10;
const maxConfigs = 100;

/** Only reads files: starting git in a folder that agents write could run the very commands it looks for. */
export function findGitRuns({ tree, configs, reading }: GitRunsParts): GitRuns {
  const runs = {
    included: new Set<string>(),
    hookFolders: new Set<string>(),
    commandFiles: new Set<string>(),
  };
  const read = new Set<string>();
  const visit = (file: string, depth: number): void => {
    if (read.has(file) || read.size >= maxConfigs || depth > maxIncludes) return;
    read.add(file);
    // Agents could use up the budget with comments, and then no command would run.
    if (depth === 0 && isHarmlessConfig(file, dirname(file), '')) return;
    for (const setting of settingsIn(file, reading)) {
      const { key, value } = setting;
      if (isInclude(key)) {
        const included = pathOf(value, dirname(file));
        runs.included.add(included);
        visit(included, depth + 1);
      } else if (key === 'core.hookspath' || key === 'init.templatedir')
        runs.hookFolders.add(pathOf(value, tree));
      else if (isCommand(setting))
        for (const path of namedIn(value, tree, reading)) runs.commandFiles.add(path);
    }
  };
  for (const config of configs) visit(config, 0);
  return runs;
}

/** The user's and the machine's configuration, which git reads in every repository. */
export function globalGitConfigs(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const own = env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  const named = [env['GIT_CONFIG_GLOBAL'], env['GIT_CONFIG_SYSTEM']].filter(
    (file) => file !== undefined && file !== '',
  );
  return [...named, join(own, 'git', 'config'), join(homedir(), '.gitconfig'), '/etc/gitconfig'].map((file) =>
    resolve(file ?? ''),
  );
}

/** Hook folders that the user's or the machine's configuration sets relative to each work tree. */
export function relativeHookFolders(globalConfigs: readonly string[]): readonly string[] {
  const tree = '/work-tree';
  const { hookFolders } = findGitRuns({ tree, configs: globalConfigs, reading: newConfigReading() });
  return [...hookFolders]
    .map((folder) => relative(tree, folder))
    .filter((path) => /^(?!\.\.(?:\/|$))./.test(path));
}

/** The names of all hooks, for a folder that is too large to protect as a whole. */
export const hookNames: readonly string[] = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit'],
  ...['prepare-commit-msg', 'commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge'],
  ...['pre-push', 'pre-receive', 'update', 'proc-receive', 'post-receive', 'post-update', 'push-to-checkout'],
  ...['reference-transaction', 'pre-auto-gc', 'post-rewrite', 'sendemail-validate', 'fsmonitor-watchman'],
  ...['post-index-change', 'p4-changelist', 'p4-prepare-changelist', 'p4-post-changelist', 'p4-pre-submit'],
];

const maxHooks = 200;

/** The links in a hook folder: git runs their targets. */
export function linkedHooks(folder: string): readonly string[] {
  try {
    const entries = entriesIn(folder, maxHooks);
    return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name));
  } catch {
    // The folder does not exist.
    return [];
  }
}

function settingsIn(file: string, reading: ConfigReading): readonly GitSetting[] {
  const before = reading.known.get(file);
  if (before !== undefined) return before;
  const bytes = bytesOf(file, reading.bytes + 1);
  reading.bytes -= bytes.length;
  if (reading.bytes < 0) throw tooMuchConfiguration();
  const settings = parseGitConfig(bytes.toString('utf8'));
  reading.known.set(file, settings);
  return settings;
}

function bytesOf(file: string, limit: number): Buffer {
  try {
    return readPlainFile(file, limit);
  } catch (error) {
    if (isKeptFromUs(file, error)) throw unreadableConfiguration(file);
    // The file is missing, or git can't read it either.
    return Buffer.alloc(0);
  }
}

/**
 * Whether git may be able to read the file later although we can't now: a process holds a lease on it, or removed the
 * permissions of one of our folders above it. What it protects is unknown then, so nothing may be written.
 */
function isKeptFromUs(file: string, error: unknown): boolean {
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM') return isOurs(file);
  return code !== '' && !['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EISDIR'].includes(code);
}

/** Checks the file, or the nearest folder above it that can be read. */
function isOurs(path: string): boolean {
  try {
    return lstatSync(path).uid === process.getuid?.();
  } catch {
    return dirname(path) !== path && isOurs(dirname(path));
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isInclude(key: string): boolean {
  return key === 'include.path' || (key.startsWith('includeif.') && key.endsWith('.path'));
}

const commandNames = new Set([
  ...['command', 'cmd', 'program', 'editor', 'pager', 'textconv', 'external', 'clean', 'smudge', 'process'],
  ...['driver', 'sshcommand', 'fsmonitor', 'askpass', 'helper', 'update', 'uploadpack', 'receivepack', 'vcs'],
  ...['packobjectshook', 'difffilter', 'gitproxy', 'alternaterefscommand', 'tunnel', 'browser', 'httpd'],
  ...['tocmd', 'cccmd', 'headercmd', 'smtpserver', 'sendmailcmd', 'defaultkeycommand', 'path'],
]);

/** Settings whose value git starts or passes to a shell. An alias does so only after a `!`. */
function isCommand({ key, value }: GitSetting): boolean {
  if (key.startsWith('alias.')) return value.startsWith('!');
  return key.startsWith('pager.') || commandNames.has(key.slice(key.lastIndexOf('.') + 1));
}

/** Files that a command names: git runs it from the top of the work tree. */
function namedIn(command: string, tree: string, reading: ConfigReading): readonly string[] {
  const words = command.split(/[\s"'`=:,;|&<>()[\]{}!$]+/).filter((word) => word !== '');
  reading.words -= words.length;
  if (reading.words < 0) throw tooMuchConfiguration();
  return [...new Set([command, ...words])]
    .map((word) => ({ word, path: pathOf(word, tree) }))
    .filter(({ word, path }) => {
      const found = lookAt(path);
      // A missing file counts only if the word can only be a path.
      return found === undefined ? word.includes('/') : !found.isDirectory();
    })
    .map(({ path }) => path);
}

function pathOf(value: string, folder: string): string {
  return resolve(folder, value.startsWith('~/') ? join(homedir(), value.slice(2)) : value);
}
