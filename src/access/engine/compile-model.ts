import { AccessError, type Problem } from './access-error.js';
import { loadConditions } from './conditions.js';
import type { CompiledModel } from './model.js';
import { readModel } from './read-model.js';
import { validateModel } from './validate-model.js';

/**
 * Compiles a model in OpenFGA's language (schema 1.1) or its JSON form to plain data. A compiled model is only checked
 * again. Throws an AccessError with all problems.
 */
export async function compileModel(model: string | object): Promise<CompiledModel> {
  if (typeof model === 'object' && isCompiled(model)) {
    refuse(validateModel(model.types, model.conditions));
    return model;
  }
  const json = typeof model === 'string' ? await parse(model) : model;
  const { types, conditions, problems } = readModel(json);
  const compiled: CompiledModel = { format: 1, types, conditions };
  refuse([...problems, ...validateModel(types, conditions)]);
  // Compile the expressions to find errors in them.
  await loadConditions(compiled);
  return compiled;
}

function refuse(problems: readonly Problem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new AccessError(first.code, problems.map(({ message }) => message).join('; '), problems);
}

function isCompiled(model: object): model is CompiledModel {
  return 'format' in model && model.format === 1 && 'types' in model && Array.isArray(model.types);
}

async function parse(text: string): Promise<unknown> {
  try {
    if (text.trimStart().startsWith('{')) return JSON.parse(text) as unknown;
    // The parser is large, so load it only for models in text form.
    const { default: openfga } = await import('@openfga/syntax-transformer');
    return openfga.transformer.transformDSLToJSONObject(text);
  } catch (error) {
    throw new AccessError('model.syntax', `the model cannot be parsed: ${String(error)}`);
  }
}
