import type { ScalarField } from './field.js';
import { judgeScalar, type Scalar, wantedBy } from './judge-scalar.js';
import { quote } from '../kernel/source-place.js';
import { type Place, type ReadContext, reportWrongType } from './read-context.js';
import { substitute } from './substitute.js';
import type { ScalarNode } from '../kernel/tree.js';

/** The value that the field takes; undefined when there is none, which is then reported. */
export function readScalar(field: ScalarField, place: Place, context: ReadContext): unknown {
  const { node, path } = place;
  if (node.kind !== 'scalar') {
    reportWrongType(wantedBy(field), place, context);
    return undefined;
  }
  const scalar = settle({ node, path }, context);
  if (scalar === undefined) return undefined;
  const verdict = judgeScalar(field, scalar);
  if (verdict === 'wrong') reportWrongType(wantedBy(field), place, context);
  else if ('flaw' in verdict) context.report({ ...verdict.flaw, offset: node.start, path });
  else return isKeptText(field, node, context) ? node.value : verdict.value;
  return undefined;
}

function isKeptText({ kind }: ScalarField, { value }: ScalarNode, { asWritten }: ReadContext): boolean {
  return asWritten === true && kind === 'text' && typeof value === 'string';
}

// Replaces `${…}` references. Every one that is wrong is reported.
function settle({ node, path }: Place<ScalarNode>, context: ReadContext): Scalar | undefined {
  const { source } = node;
  if (typeof node.value !== 'string' || context.isLiteral === true)
    return { value: node.value ?? '', source, isReference: false };
  const { text, isReference, missing, malformed } = substitute(node.value, context.environment, (name) =>
    context.secrets?.valueOf(name),
  );
  for (const { name, written } of missing) {
    const doubt = context.secrets?.problem()?.message;
    const message = `The environment variable ${name} is not set.${doubt === undefined ? '' : ` ${doubt}`}`;
    const remedy = `Set ${name}, keep its value with \`tidegate secrets set ${name}\`, or write \${${name}:-default}.`;
    context.report({
      code: 'config.env_missing',
      offset: offsetOf(written, node, context),
      path,
      message,
      remedy,
      variable: name,
    });
  }
  for (const written of malformed) {
    const message = `${quote(written)} is not a reference to an environment variable.`;
    context.report({ code: 'config.env_syntax', offset: offsetOf(written, node, context), path, message });
  }
  return missing.length + malformed.length > 0 ? undefined : { value: text, source, isReference };
}

// Escapes and line folding can hide the reference in the file; then the start of the value has to do.
function offsetOf(written: string, node: ScalarNode, { text }: ReadContext): number {
  const found = text.slice(node.start, node.end).indexOf(written);
  return node.start + Math.max(0, found);
}
