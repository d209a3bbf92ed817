import { AccessError, type Problem } from './access-error.js';
import { loadConditions } from './conditions.js';
import type { CompiledModel } from './model.js';
import { readModel } from './read-model.js';
import { validateModel } from './validate-model.js';

/**
 * Checks a model in OpenFGA's language (schema 1.1) or in its JSON form, and makes plain data of it. A model that
 * was compiled before is only checked again. Throws an AccessError that names everything that is wrong.
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
  // Compiling the expressions is what finds the mistakes in them.
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
    // The parser is large and serves authors only: a model that is data never loads it.
    const { default: openfga } = await import('@openfga/syntax-transformer');
    return openfga.transformer.transformDSLToJSONObject(text);
  } catch (error) {
    throw new AccessError('model.syntax', `the model cannot be read: ${String(error)}`);
  }
}
