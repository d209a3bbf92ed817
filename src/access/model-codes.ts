import type { ModelProblem } from './model-text.js';

type ModelCode = Extract<ModelProblem['code'], `model.${string}`>;

const correct =
  'Fix the model at the position given in the message. See the built-in model in `docs/guides/grants.md`.';

/** Problems of a file that extends the model. `access.bad_model` shows the code in brackets. */
const meanings: Readonly<Record<ModelCode, string>> = {
  'model.syntax': 'The file is not a valid OpenFGA model.',
  'model.shape': 'The model lacks a required part.',
  'model.schema_version': 'The schema version of the model is not supported.',
  'model.name': 'A type or relation has an invalid name.',
  'model.duplicate_type': 'A type is defined twice.',
  'model.undefined_type': 'A relation allows a type that is not defined.',
  'model.undefined_relation': 'The model uses a relation that is not defined.',
  'model.undefined_condition': 'The model uses a condition that is not defined.',
  'model.invalid_rewrite': 'The definition of a relation is invalid.',
  'model.not_assignable': 'A relation that is computed from others also lists types.',
  'model.no_type_restriction': 'A relation can be assigned but allows no type.',
  'model.tupleset_not_direct': 'A `from` clause uses a relation that cannot be assigned directly.',
  'model.no_entrypoint': 'A relation can never apply because no path leads to a type.',
  'model.cycle': 'A relation is defined in terms of itself.',
  'model.condition': 'A condition or one of its parameters is invalid.',
  'model.too_large': 'The model is too large or nested too deeply.',
  'model.missing_relation': 'The model lacks a relation that Tidegate needs.',
  'model.narrowed': 'A relation allows less than in the built-in model.',
  'model.changed': 'A condition differs from the one in the built-in model.',
};

export const modelCodes = Object.fromEntries(
  Object.entries(meanings).map(([code, meaning]) => [code, { meaning, remedy: correct }]),
);
