import { lstatSync } from 'node:fs';
import { codeOf } from '../../lib/error-code.js';
import { parseSource, problemsOf } from '../parse-source.js';
import type { Finding, Problem } from '../problem.js';
import { readTree } from '../read-tree.js';
import { readSource } from '../source-file.js';
import type { Environment } from '../substitute.js';
import { formatPath } from '../../lib/source-place.js';
import { findEntry, offsetAt, type TreeNode } from '../../lib/tree.js';
import { type PluginEntry, type PluginsValues, pluginsTable } from './plugins-schema.js';

export interface LoadedEntries {
  /** With links resolved. */
  readonly file: string;
  /** Use an entry only if none of its problems is an error. */
  readonly entries: ReadonlyMap<string, PluginEntry>;
  /** The entry as written in the file. */
  said(name: string): TreeNode | undefined;
  readonly problems: readonly Problem[];
}

/** The problems of one entry. */
export function problemsOfEntry({ problems }: LoadedEntries, name: string): readonly Problem[] {
  return problems.filter(({ path }) => isWithin(path, name));
}

/**
 * Errors that do not belong to a known entry. They disable all plugins, because an entry overrides a folder with the same
 * name and may expose only part of it, and that restriction could be lost.
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

/** Reads a `plugins.yaml` if it exists, and reports all of its problems at once. */
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

/** A dangling link counts as present, because its target may have restricted what to offer. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // ENOTDIR means that it does not exist. For other errors, reading the file fails too and is reported.
    return codeOf(error) !== 'ENOTDIR';
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
  if (ways !== 1) return 'A plugin needs exactly one of `path`, `command` and `url`.';
  if (type === 'mcp' && path !== undefined)
    return 'A plugin with `type: mcp` needs `command` or `url`, not `path`.';
  if (type === 'grpc' && url !== undefined)
    return 'A plugin with `type: grpc` needs `path` or `command`, not `url`.';
  if (command?.[0] === undefined && command !== undefined) return 'The `command` is empty.';
  if (checksum !== undefined && !/^sha256:[0-9a-f]{64}$/i.test(checksum))
    return 'The `checksum` must be `sha256:` followed by 64 hexadecimal digits.';
  return undefined;
}
