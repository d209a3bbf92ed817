import { parseSource, problemsOf } from '../parse-source.js';
import type { Finding, Problem } from '../problem.js';
import { readTree } from '../read-tree.js';
import { readSource } from '../source-file.js';
import type { Environment } from '../substitute.js';
import { offsetAt, type TreeNode } from '../../kernel/tree.js';
import { type PluginEntry, type PluginsValues, pluginsTable } from './plugins-schema.js';
import { statsOf } from './stats-of.js';

export interface LoadedEntries {
  /** With links resolved. */
  readonly file: string;
  readonly sha256?: string;
  /** To be used only when no problem is an error. */
  readonly entries: ReadonlyMap<string, PluginEntry>;
  readonly problems: readonly Problem[];
}

/** Reads a `plugins.yaml` where there is one, and reports all of its problems at once. */
export async function loadEntries(
  path: string,
  environment: Environment,
): Promise<LoadedEntries | undefined> {
  if (statsOf(path) === undefined) return undefined;
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
    ...(source.sha256 !== undefined && { sha256: source.sha256 }),
    entries: values.plugins,
    problems: problemsOf(source, found),
  };
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
