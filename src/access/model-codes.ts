import type { ModelProblem } from './model-text.js';

type ModelCode = Extract<ModelProblem['code'], `model.${string}`>;

const correct =
  'Correct it where the message points; `docs/guides/grants.md` shows the model that is shipped.';

/** What can be wrong with a file that extends the model, as `access.bad_model` names it in brackets. */
const meanings: Readonly<Record<ModelCode, string>> = {
  'model.syntax': 'The text is not in the language of OpenFGA models.',
  'model.shape': 'The model lacks something that every model has.',
  'model.schema_version': 'The model is written for another version of the language.',
  'model.name': 'A type or relation has a name that it cannot have.',
  'model.duplicate_type': 'A type is defined twice.',
  'model.undefined_type': 'A relation allows a type that is not defined.',
  'model.undefined_relation': 'A relation is named that is not defined.',
  'model.undefined_condition': 'A condition is named that is not defined.',
  'model.invalid_rewrite': 'A relation is defined in a way that means nothing.',
  'model.not_assignable': 'A relation that follows from others names types of its own.',
  'model.no_type_restriction': 'A relation can be given to somebody, but allows no type.',
  'model.tupleset_not_direct': 'Something is taken from a relation that is not given directly.',
  'model.no_entrypoint': 'Nobody can ever have a relation: no path leads to a type.',
  'model.cycle': 'A relation is defined by itself.',
  'model.condition': 'A condition, or one of its parameters, cannot be used.',
  'model.too_large': 'The model is larger, or nested deeper, than one may be.',
  'model.missing_relation': 'The model lacks a relation that the gate asks for.',
  'model.narrowed': 'A relation takes less than the shipped one does.',
  'model.changed': 'A condition of the shipped model is another one here.',
};

export const modelCodes = Object.fromEntries(
  Object.entries(meanings).map(([code, meaning]) => [code, { meaning, remedy: correct }]),
);
