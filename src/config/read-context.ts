import { nearest } from '../kernel/nearest.js';
import type { Report } from './problem.js';
import type { Secrets } from './secrets.js';
import type { Environment } from './substitute.js';
import { kindOf, type Path, type TreeNode } from '../kernel/tree.js';

/** What reading a tree needs to know beside the tree. */
export interface ReadContext {
  readonly text: string;
  readonly environment: Environment;
  /** Values that the environment does not have. */
  readonly secrets?: Pick<Secrets, 'valueOf' | 'problem'>;
  readonly report: Report;
  /** Texts keep their references; they are judged by what these stand for all the same. */
  readonly asWritten?: boolean;
  /** Nothing is a reference: what the file says is all that counts. */
  readonly isLiteral?: boolean;
}

/** A value of the file, and the way to it from the root. */
export interface Place<N extends TreeNode = TreeNode> {
  readonly node: N;
  readonly path: Path;
}

export function reportWrongType(wanted: string, { node, path }: Place, context: ReadContext): void {
  const message = `The value must be ${wanted}, and is ${kindOf(node)}.`;
  context.report({ code: 'config.wrong_type', offset: node.start, path, message });
}

/** The remedy that names the nearest known word, where one is near. */
export function suggestion(word: string, known: readonly string[]): { readonly remedy?: string } {
  const near = nearest(word, known);
  return near === undefined ? {} : { remedy: `Did you mean \`${near}\`?` };
}
