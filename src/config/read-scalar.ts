import type { ScalarField } from './field.js';
import { checkScalar, type Scalar, wantedBy } from './check-scalar.js';
import { quote } from '../lib/source-place.js';
import { type Place, type ReadContext, reportWrongType } from './read-context.js';
import { substitute } from './substitute.js';
import type { ScalarNode } from '../lib/tree.js';

/** Reads the value of the field. Reports a problem and returns undefined if it is invalid. */
export function readScalar(field: ScalarField, place: Place, context: ReadContext): unknown {
  const { node, path } = place;
  if (node.kind !== 'scalar') {
    reportWrongType(wantedBy(field), place, context);
    return undefined;
  }
  const scalar = settle({ node, path }, context);
  if (scalar === undefined) return undefined;
  const verdict = checkScalar(field, scalar);
  if (verdict === 'wrong') reportWrongType(wantedBy(field), place, context);
  else if ('flaw' in verdict) context.report({ ...verdict.flaw, offset: node.start, path });
  else return isKeptText(field, node, context) ? node.value : verdict.value;
  return undefined;
}

function isKeptText({ kind }: ScalarField, { value }: ScalarNode, { asWritten }: ReadContext): boolean {
  return asWritten === true && kind === 'text' && typeof value === 'string';
}

// Replaces `${…}` references and reports every invalid one.
function settle({ node, path }: Place<ScalarNode>, context: ReadContext): Scalar | undefined {
  const { source } = node;
  if (typeof node.value !== 'string' || context.isLiteral === true)
    return { value: node.value ?? '', source, isReference: false };
  const { text, isReference, values, missing, malformed } = substitute(
    node.value,
    context.environment,
    (name) => context.secrets?.valueOf(name),
  );
  values.forEach((value) => context.referenced?.add(value));
  for (const { name, written } of missing) {
    const doubt = context.secrets?.problem()?.message;
    const message = `The environment variable ${name} is not set.${doubt === undefined ? '' : ` ${doubt}`}`;
    const remedy = `Set ${name}, store its value with \`tidegate secrets set ${name}\`, or write \${${name}:-default}.`;
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
    const message = `${quote(written)} is not a valid reference to an environment variable.`;
    context.report({ code: 'config.env_syntax', offset: offsetOf(written, node, context), path, message });
  }
  return missing.length + malformed.length > 0 ? undefined : { value: text, source, isReference };
}

// Escapes and line folding can hide the reference in the file. Fall back to the start of the value.
function offsetOf(written: string, node: ScalarNode, { text }: ReadContext): number {
  const found = text.slice(node.start, node.end).indexOf(written);
  return node.start + Math.max(0, found);
}
