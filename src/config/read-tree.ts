import type { Scalar } from '../lib/schema-table/context.js';
import type { ValueOf } from '../lib/schema-table/field.js';
import { readTable } from '../lib/schema-table/read-table.js';
import type { Path, ScalarNode, TreeNode } from '../lib/tree.js';
import { quote } from '../lib/source-place.js';
import type { RecordField } from './field.js';
import { configLanguage } from './language.js';
import type { Report } from './problem.js';
import type { Secrets } from './secrets.js';
import { type Environment, substitute } from './substitute.js';

/** The inputs for reading a tree, besides the tree. */
export interface ReadInputs {
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

/** Reads a tree by a table without required keys at the top. Invalid values are reported and get their defaults. */
export function readTree<F extends RecordField>(table: F, root: TreeNode, inputs: ReadInputs): ValueOf<F> {
  // Safe: only a missing required key makes the reader return undefined.
  return readNeeded(table, root, inputs) as ValueOf<F>;
}

/** Like `readTree`, for a table with required keys. Returns undefined if one is missing, which is reported. */
export function readNeeded<F extends RecordField>(
  table: F,
  root: TreeNode,
  inputs: ReadInputs,
): ValueOf<F> | undefined {
  const { report, isLiteral } = inputs;
  return readTable(table, root, {
    language: configLanguage,
    report,
    ...(isLiteral !== true && { resolve: ({ node, path }) => resolveReferences(node, path, inputs) }),
  });
}

/** Replaces `${…}` references and reports every invalid one. */
function resolveReferences(node: ScalarNode, path: Path, inputs: ReadInputs): Scalar | undefined {
  const { value, source } = node;
  if (typeof value !== 'string') return { value, source, isReference: false };
  const { text, isReference, values, missing, malformed } = substitute(value, inputs.environment, (name) =>
    inputs.secrets?.valueOf(name),
  );
  values.forEach((found) => inputs.referenced?.add(found));
  for (const { name, written } of missing) {
    const doubt = inputs.secrets?.problem()?.message;
    inputs.report({
      code: 'config.env_missing',
      offset: offsetOf(written, node, inputs),
      path,
      message: `The environment variable ${name} is not set.${doubt === undefined ? '' : ` ${doubt}`}`,
      remedy: `Set ${name}, store its value with \`tidegate secrets set ${name}\`, or write \${${name}:-default}.`,
      variable: name,
    });
  }
  for (const written of malformed) {
    const message = `${quote(written)} is not a valid reference to an environment variable.`;
    inputs.report({ code: 'config.env_syntax', offset: offsetOf(written, node, inputs), path, message });
  }
  if (missing.length + malformed.length > 0) return undefined;
  return { value: text, source, isReference, ...(inputs.asWritten === true && { kept: value }) };
}

// Escapes and line folding can hide the reference in the file. Fall back to the start of the value.
function offsetOf(written: string, node: ScalarNode, { text }: ReadInputs): number {
  const found = text.slice(node.start, node.end).indexOf(written);
  return node.start + Math.max(0, found);
}
