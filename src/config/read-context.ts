import { nearest } from '../lib/nearest.js';
import type { Report } from './problem.js';
import type { Secrets } from './secrets.js';
import type { Environment } from './substitute.js';
import { kindOf, type Path, type TreeNode } from '../lib/tree.js';

/** The inputs for reading a tree, besides the tree. */
export interface ReadContext {
  readonly text: string;
  readonly environment: Environment;
  /** Values for variables that are not in the environment. */
  readonly secrets?: Pick<Secrets, 'valueOf' | 'problem'>;
  readonly report: Report;
  /** Collects every value that a reference resolves to. */
  readonly referenced?: Set<string>;
  /** Return texts with references unresolved. They are still checked with references resolved. */
  readonly asWritten?: boolean;
  /** Treat `${…}` as plain text. */
  readonly isLiteral?: boolean;
}

/** A value in the file and its path from the root. */
export interface Place<N extends TreeNode = TreeNode> {
  readonly node: N;
  readonly path: Path;
}

export function reportWrongType(wanted: string, { node, path }: Place, context: ReadContext): void {
  const message = `The value must be ${wanted}, but is ${kindOf(node)}.`;
  context.report({ code: 'config.wrong_type', offset: node.start, path, message });
}

/** A remedy that suggests the closest known word, if one is close enough. */
export function suggestion(word: string, known: readonly string[]): { readonly remedy?: string } {
  const near = nearest(word, known);
  return near === undefined ? {} : { remedy: `Did you mean \`${near}\`?` };
}
