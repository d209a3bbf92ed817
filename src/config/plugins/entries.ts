import { lstatSync } from 'node:fs';
import { parseSource, problemsOf } from '../parse-source.js';
import type { Finding, Problem } from '../problem.js';
import { readTree } from '../read-tree.js';
import { readSource } from '../source-file.js';
import type { Environment } from '../substitute.js';
import { formatPath } from '../../kernel/index.js';
import { findEntry, offsetAt, type TreeNode } from '../../kernel/tree.js';
import { type PluginEntry, type PluginsValues, pluginsTable } from './plugins-schema.js';

export interface LoadedEntries {
  /** With links resolved. */
  readonly file: string;
  /** Each to be used only when none of its problems is an error. */
  readonly entries: ReadonlyMap<string, PluginEntry>;
  /** What the file says of an entry, as it is written. */
  said(name: string): TreeNode | undefined;
  readonly problems: readonly Problem[];
}

/** The problems of one entry. */
export function problemsOfEntry({ problems }: LoadedEntries, name: string): readonly Problem[] {
  return problems.filter(({ path }) => isWithin(path, name));
}

/**
 * The errors that belong to no entry that can be named. With one, nobody can tell what the file takes away from which
 * plugin: an entry wins over a folder of the same name, and may expose only a part of it.
 */
export function closingProblems({ entries, problems }: LoadedEntries): readonly Problem[] {
  const names = [...entries.keys()];
  return problems.filter(
    ({ severity, path }) => severity === 'error' && !names.some((name) => isWithin(path, name)),
  );
}

function isWithin(path: string, name: string): boolean {
  const own = formatPath(['plugins', name]);
  return path === own || path.startsWith(`${own}.`) || path.startsWith(`${own}[`);
}

/** Reads a `plugins.yaml` where there is one, and reports all of its problems at once. */
export async function loadEntries(
  path: string,
  environment: Environment,
): Promise<LoadedEntries | undefined> {
  if (!isThere(path)) return undefined;
  const source = readSource(path);
  const { root, findings } = await parseSource(source);
  const found: Finding[] = [...findings];
  const values = readTree(pluginsTable, root, {
    text: source.text,
    environment,
    report: (finding) => void found.push(finding),
  });
  if (findings.length === 0) found.push(...flawsOf(values, root));
  return {
    file: source.file,
    entries: values.plugins,
    said: (name) => findEntry(root, ['plugins', name])?.value,
    problems: problemsOf(source, found),
  };
}

/** Also a link that leads nowhere: what it led to may have said what not to offer. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // Where its folder is a file there is nothing. What else cannot be looked at cannot be read either, which is told.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR');
  }
}

function flawsOf({ plugins }: PluginsValues, root: TreeNode): readonly Finding[] {
  return [...plugins].flatMap(([name, entry]) => {
    const message = flawOf(entry);
    const path = ['plugins', name];
    return message === undefined
      ? []
      : [{ code: 'plugins.bad_entry', path, offset: offsetAt(root, path), message } as const];
  });
}

function flawOf({ type, path, command, url, checksum }: PluginEntry): string | undefined {
  const ways = [path, command, url].filter((way) => way !== undefined).length;
  if (ways !== 1) return 'It needs exactly one of `path`, `command` and `url`.';
  if (type === 'mcp' && path !== undefined)
    return 'An MCP server is started with `command` or called at `url`.';
  if (type === 'grpc' && url !== undefined)
    return 'A gRPC plugin is a program: give its `path` or `command`.';
  if (command?.[0] === undefined && command !== undefined) return 'The `command` is empty.';
  if (checksum !== undefined && !/^sha256:[0-9a-f]{64}$/i.test(checksum))
    return 'The `checksum` must be `sha256:` and 64 hexadecimal digits.';
  return undefined;
}
