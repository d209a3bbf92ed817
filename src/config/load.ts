import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from './config.js';
import { parseSource, problemsOf } from './parse-source.js';
import type { Finding, Problem } from './problem.js';
import { readTree } from './read-tree.js';
import { resolveConfig, type ServerSection } from './resolve.js';
import { checkRules, softened } from './rules.js';
import { configTable } from './schema.js';
import type { Secrets } from './secrets.js';
import type { ShapeMemory } from './shape-memory.js';
import { readSource, type Source } from './source-file.js';
import type { Environment } from './substitute.js';
import { emptyMap, type TreeNode } from '../kernel/tree.js';

export interface LoadOptions {
  readonly file: string;
  /** Read instead of the file's content; paths are still relative to the file. */
  readonly text?: string;
  readonly env: Environment;
  /** Values that the environment does not have. */
  readonly secrets?: Secrets;
  readonly home: string;
  /** The workspace root when the file names none. Default: the directory of the file. */
  readonly workspace?: string;
  /** Judge the values, but leave texts as the file spells them, references and all: for showing, not for use. */
  readonly asWritten?: boolean;
  /** Where it is remembered how the file was built. */
  readonly shapes?: ShapeMemory;
}

export interface LoadedConfig {
  /** Complete and safe to look at, but to be used only when no problem is an error. */
  readonly config: Config;
  readonly problems: readonly Problem[];
  /** Of exactly the bytes that were read; absent when they could not be. */
  readonly sha256?: string;
}

/** Reads a configuration file and reports all of its problems at once. Never rejects because of the file. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const source = readSource(options.file, options.text);
  const { root, findings } = await parseSource(source, options.shapes);
  return settle(source, root, findings, options);
}

/** The configuration of a place that has no file. */
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
  const context = { text, environment, report, asWritten, ...(secrets && { secrets }) };
  const values = readTree(configTable, root, context);
  checkRules(values, root, report);
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
  });
  const problems = Object.freeze(problemsOf(source, findings));
  return Object.freeze(sha256 === undefined ? { config, problems } : { config, problems, sha256 });
}

function serverKey({ path = [] }: Finding): string {
  return `${path[0]} ${path[1]}`;
}

function sectionsInOrder(root: TreeNode): readonly ServerSection[] {
  const sections: readonly ServerSection[] = ['servers', 'mcpServers'];
  const keys = root.kind === 'map' ? root.entries.map((entry) => entry.key) : [];
  return sections.toSorted((a, b) => keys.indexOf(a) - keys.indexOf(b));
}
