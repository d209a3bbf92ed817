import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from './config.js';
import { parseSource, problemsOf } from './parse-source.js';
import type { Finding, Problem, Report } from './problem.js';
import { readTree } from './read-tree.js';
import { resolveConfig, type ServerSection } from './resolve.js';
import { checkRules, softened } from './rules.js';
import { type ConfigValues, configTable } from './schema.js';
import type { Secrets } from './secrets.js';
import type { ShapeMemory } from './shape-memory.js';
import { readSource, type Source } from './source-file.js';
import type { Environment } from './substitute.js';
import { emptyMap, type TreeNode } from '../lib/tree.js';
import { checkWritable, createWritableRule, writablePlaceOf } from './writable-paths.js';
import { type WrittenKey, writtenKeys } from './written-keys.js';

export interface LoadOptions {
  readonly file: string;
  /** Used instead of the file's content; paths are still relative to the file. */
  readonly text?: string;
  /** Use the path as it is, even if it is a link now. */
  readonly isReal?: boolean;
  readonly env: Environment;
  /** Values for variables that are not in the environment. */
  readonly secrets?: Secrets;
  readonly home: string;
  /** The workspace root when the file names none. Default: the directory of the file. */
  readonly workspace?: string;
  /** Check the values, but return texts with references unresolved: for display, not for use. */
  readonly asWritten?: boolean;
  /** Caches the structure of the file. */
  readonly shapes?: ShapeMemory;
}

export interface LoadedConfig {
  /** Complete and safe to inspect, but use it only if no problem is an error. */
  readonly config: Config;
  readonly problems: readonly Problem[];
  /** Hash of exactly the bytes that were read; absent if reading failed. */
  readonly sha256?: string;
  /** Every key that the file sets; empty unless `asWritten` is set. */
  readonly keys: readonly WrittenKey[];
}

/** Reads a configuration file and reports all of its problems at once. Never rejects because of the file. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const source = readSource(options.file, options.text, options.isReal);
  const { root, findings } = await parseSource(source, options.shapes);
  return settle(source, root, findings, options);
}

/** The configuration of a workspace without a file. */
export function defaultConfig(workspace: string): Config {
  const values = readTree(configTable, emptyMap, { text: '', environment: {}, report: () => undefined });
  return resolveConfig(values, {
    directory: workspace,
    home: homedir(),
    workspace,
    isSound: () => true,
    sections: [],
  });
}

function settle(
  source: Source,
  root: TreeNode,
  parsing: readonly Finding[],
  options: LoadOptions,
): LoadedConfig {
  const { file, text, sha256 } = source;
  const found = [...parsing];
  const report = (finding: Finding) => void found.push(finding);
  const { env: environment, asWritten = false, secrets } = options;
  const referenced = new Set<string>();
  const context = { text, environment, report, asWritten, referenced, ...(secrets && { secrets }) };
  const values = readTree(configTable, root, context);
  checkRules(values, root, report);
  checkShell(values, root, { file, report, options });
  const findings = found.map((finding) => softened(finding, values, file.endsWith('.json')));
  const unsound = new Set(findings.filter((finding) => finding.severity !== 'warning').map(serverKey));
  const directory = dirname(file);
  const config = resolveConfig(values, {
    directory,
    home: options.home,
    workspace: options.workspace ?? directory,
    file,
    asWritten,
    isSound: (section, name) => !unsound.has(`${section} ${name}`),
    sections: sectionsInOrder(root),
    referenced: asWritten ? [] : [...referenced],
  });
  const problems = Object.freeze(problemsOf(source, findings));
  const keys = asWritten ? writtenKeys(configTable, root) : [];
  return Object.freeze({ config, problems, keys, ...(sha256 !== undefined && { sha256 }) });
}

/** Separate from `checkRules`, because these paths depend on the home and the workspace. */
function checkShell(
  values: ConfigValues,
  root: TreeNode,
  {
    file,
    report,
    options,
  }: { readonly file: string; readonly report: Report; readonly options: LoadOptions },
): void {
  const { writable } = values.shell;
  if (writable.length === 0) return;
  const directory = dirname(file);
  const { env, home, workspace = directory } = options;
  const config = resolveConfig(values, {
    directory,
    home,
    workspace,
    file,
    isSound: () => false,
    sections: [],
  });
  const entries = writable.map((text, index) => ({ text, path: config.shell.writable[index] ?? text }));
  checkWritable({ entries, root, report }, createWritableRule(writablePlaceOf(config, { home, env })));
}

function serverKey({ path = [] }: Finding): string {
  return `${path[0]} ${path[1]}`;
}

function sectionsInOrder(root: TreeNode): readonly ServerSection[] {
  const sections: readonly ServerSection[] = ['servers', 'mcpServers'];
  const keys = root.kind === 'map' ? root.entries.map((entry) => entry.key) : [];
  return sections.toSorted((a, b) => keys.indexOf(a) - keys.indexOf(b));
}
