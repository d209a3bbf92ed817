// All keys of a workflow file. The reader, the JSON Schema and the reference page use these tables.
import { agentBlocks, agentFields } from './agent-fields.js';
import type { Fields } from './field.js';
import { expression, flag, hooks, state, states, template, text, texts } from './words.js';

const validationFields = {
  pattern: text('Regular expression the string must match.'),
  enum: texts('Allowed strings.'),
  min: { kind: 'integer', description: 'Smallest number allowed.' },
  max: { kind: 'integer', description: 'Largest number allowed.' },
  file_exists: flag('The string must be the path of an existing file.'),
  file_extension: texts('Allowed file extensions, such as `.md`.'),
} as const satisfies Fields;

export const inputFields = {
  name: {
    kind: 'text',
    takesScalars: true,
    required: true,
    description: 'Name used in `{{.inputs.name}}` and `-i name=value`.',
  },
  description: text('Shown to the person who runs the workflow.'),
  type: {
    kind: 'choice',
    takesScalars: true,
    choices: ['string', 'integer', 'number', 'boolean', 'array'],
    description:
      'Type of the value. `array`: a list, a JSON array in a string, or words separated by commas. If omitted: any.',
  },
  required: flag('The run requires this input. In a terminal, Tidegate asks for it.'),
  default: { kind: 'any', description: 'Value if none is given.' },
  validation: {
    kind: 'record',
    description: 'Rules for the value. All violations are reported together.',
    fields: validationFields,
  },
} as const satisfies Fields;

const outputFields = {
  name: { kind: 'text', takesScalars: true, required: true, description: 'Name of the output.' },
  from: {
    kind: 'text',
    takesScalars: true,
    required: true,
    holds: 'expression',
    description: 'Expression for the value: `states.build.Output`.',
  },
} as const satisfies Fields;

export const workflowFields = {
  name: { kind: 'text', takesScalars: true, required: true, description: 'Name of the workflow.' },
  description: text('What the workflow does.'),
  version: text('Version of the workflow. Informational.'),
  author: text('Author of the workflow. Informational.'),
  tags: texts('Tags. Informational.'),
  env: texts('Environment variables the workflow needs. Missing ones are reported before the run.'),
  inputs: {
    kind: 'list',
    description: 'Inputs of the workflow.',
    of: { kind: 'record', description: 'An input.', fields: inputFields },
  },
  states: {
    kind: 'any',
    required: true,
    description: 'The states by name, and `initial`, the name of the first state.',
  },
  hooks: {
    kind: 'record',
    description: 'What to do when the run starts, ends, fails or is stopped.',
    fields: {
      workflow_start: hooks('Before the first state.'),
      workflow_end: hooks('After success.'),
      workflow_error: hooks('After failure. `error` is available only here.'),
      workflow_cancel: hooks('After the run was stopped.'),
    },
  },
  plugins: {
    kind: 'map',
    isPlain: true,
    description: 'Short names for plugins, for use in `operation` and in step types: `pg: database`.',
    of: text('Name of a plugin.'),
  },
  outputs: {
    kind: 'either',
    description: 'Outputs of the run: a mapping of names to expressions, or a list of `name` and `from`.',
    first: {
      kind: 'map',
      isPlain: true,
      description: 'A mapping of names to expressions.',
      of: expression('Expression for the value.'),
    },
    second: {
      kind: 'list',
      description: 'A list of outputs.',
      of: { kind: 'record', description: 'An output.', fields: outputFields },
    },
  },
} as const satisfies Fields;

const retryFields = {
  max_attempts: {
    kind: 'integer',
    minimum: 1,
    description: 'Maximum number of attempts, including the first.',
  },
  initial_delay: { kind: 'duration', notation: 'compound', description: 'Delay before the second attempt.' },
  max_delay: { kind: 'duration', notation: 'compound', description: 'Maximum delay.' },
  backoff: {
    kind: 'choice',
    takesScalars: true,
    choices: ['constant', 'linear', 'exponential'],
    description: 'How the delay grows. Default: constant.',
  },
  multiplier: { kind: 'number', minimum: 0, description: 'Factor for exponential delays. Default: 2.' },
  jitter: { kind: 'number', minimum: 0, maximum: 1, description: 'Random part of each delay, from 0 to 1.' },
  retryable_exit_codes: {
    kind: 'list',
    description: 'Exit codes to retry. Default: all except 0.',
    of: { kind: 'integer', description: 'An exit code.' },
  },
  may_repeat: flag('The step may safely run twice. Required to retry any step that is not a command.'),
} as const satisfies Fields;

const captureFields = {
  stdout: text('Name of the entry in `Response` with the standard output.'),
  stderr: text('Name of the entry in `Response` with the standard error.'),
  max_size: {
    kind: 'size',
    description:
      'How much of each output is kept. Longer output is cut at the start, with a note. Default: 1MB.',
  },
  encoding: text('Encoding of the output, such as `latin1`. Default: utf-8.'),
} as const satisfies Fields;

const inlineFailureFields = {
  message: {
    kind: 'text',
    takesScalars: true,
    required: true,
    holds: 'template',
    description: 'Error message of the run.',
  },
  status: { kind: 'integer', minimum: 1, maximum: 255, description: 'Exit status of the run. Default: 1.' },
} as const satisfies Fields;

const transitionFields = {
  when: expression('Condition. If omitted: always.'),
  goto: { kind: 'text', takesScalars: true, required: true, holds: 'state', description: 'Next state.' },
} as const satisfies Fields;

/** Keys of every state. */
export const commonFields = {
  type: { kind: 'text', takesScalars: true, description: 'Type of the step.' },
  description: text('Description. Informational.'),
  on_success: state('Next state after success.'),
  on_failure: {
    kind: 'either',
    description: 'Next state after failure, or an error message that ends the run.',
    first: state('Name of a state.'),
    second: { kind: 'record', description: 'How the run fails.', fields: inlineFailureFields },
  },
  transitions: {
    kind: 'list',
    description: 'Conditions that are checked before `on_success` and `on_failure`. The first match wins.',
    of: { kind: 'record', description: 'A transition.', fields: transitionFields },
  },
  continue_on_error: flag('After failure, go to the `on_success` state.'),
  timeout: {
    kind: 'duration',
    notation: 'compound',
    description: 'Time limit: whole seconds, or a string such as `500ms` or `2m`.',
  },
  retry: { kind: 'record', description: 'How to retry the step after failure.', fields: retryFields },
  capture: { kind: 'record', description: 'What to keep of the output.', fields: captureFields },
  depends_on: states('States that must be done first. Branches of `parallel` use it to wait for each other.'),
  hooks: {
    kind: 'record',
    description: 'What to do before and after the step.',
    fields: { pre: hooks('Before the step.'), post: hooks('After the step, even if it failed.') },
  },
  use_template: text('Name of a file in `templates/` that provides this state.'),
  parameters: {
    kind: 'map',
    isPlain: true,
    description: 'Parameters for the template.',
    of: { kind: 'any', description: 'A value.' },
  },
} as const satisfies Fields;

const commandFields = {
  command: { kind: 'text', takesScalars: true, holds: 'command', description: 'Shell command.' },
  script_file: template('Script to run instead. A script with a `#!` line is started directly.'),
  dir: template('Working directory. Default: the workspace.'),
} as const satisfies Fields;

const parallelFields = {
  parallel: { ...states('States to run in parallel.'), required: true },
  strategy: {
    kind: 'choice',
    takesScalars: true,
    choices: ['all_succeed', 'any_succeed', 'best_effort'],
    description: 'When the step succeeds, and when the other branches are stopped. Default: all_succeed.',
  },
  max_concurrent: {
    kind: 'integer',
    minimum: 0,
    description: 'How many branches run at once. 0 or omitted: all.',
  },
} as const satisfies Fields;

const loopFields = {
  body: { ...states('States of one iteration, in order.'), required: true },
  max_iterations: {
    kind: 'either',
    description: 'Maximum number of iterations: a number or an expression. Default: 100, at most 10,000.',
    first: { kind: 'integer', minimum: 0, maximum: 10_000, description: 'A number.' },
    second: template('An expression.'),
  },
  break_when: expression('Ends the loop after an iteration in which this condition is true.'),
  on_complete: state('Next state after the last iteration.'),
} as const satisfies Fields;

const forEachFields = {
  items: {
    kind: 'any',
    required: true,
    holds: 'template',
    description: 'A list, a JSON array in a string, or words separated by commas.',
  },
  ...loopFields,
} as const satisfies Fields;

const whileFields = {
  while: { ...expression('The loop runs as long as this condition is true.'), required: true },
  ...loopFields,
} as const satisfies Fields;

const operationFields = {
  operation: {
    kind: 'text',
    takesScalars: true,
    required: true,
    description: 'Plugin operation, as `plugin.operation`; or `noop`, which does nothing.',
  },
  inputs: { kind: 'any', holds: 'template', description: 'Arguments of the operation.' },
  operation_inputs: { kind: 'any', holds: 'template', description: 'Older name of `inputs`.' },
} as const satisfies Fields;

const callFields = {
  workflow: { kind: 'text', takesScalars: true, required: true, description: 'Name or path of a workflow.' },
  inputs: { kind: 'any', holds: 'template', description: 'Inputs of the called workflow.' },
  outputs: {
    kind: 'map',
    isPlain: true,
    description: 'Values to return: names, mapped to an output of the called workflow or to an expression.',
    of: text('An output of the called workflow, or an expression such as `states.build.Output`.'),
  },
} as const satisfies Fields;

const terminalFields = {
  status: {
    kind: 'choice',
    takesScalars: true,
    choices: ['success', 'failure', ''],
    description: 'How the run ends. Default: success.',
  },
  message: template('Message at the end of the run.'),
} as const satisfies Fields;

const pluginStepFields = {
  config: { kind: 'any', holds: 'template', description: 'Configuration passed to the plugin.' },
} as const satisfies Fields;

/** Keys of each step kind, in addition to the common keys. */
export const stepFields = {
  command: commandFields,
  agent: { ...agentFields, ...agentBlocks },
  parallel: parallelFields,
  for_each: forEachFields,
  while: whileFields,
  operation: operationFields,
  call_workflow: callFields,
  terminal: terminalFields,
  plugin: pluginStepFields,
} as const satisfies Readonly<Record<string, Fields>>;

export type StepKind = keyof typeof stepFields;

export const templateFields = {
  name: { kind: 'text', takesScalars: true, required: true, description: 'Name of the template.' },
  parameters: {
    kind: 'list',
    description: 'Parameters of the template.',
    of: {
      kind: 'record',
      description: 'A parameter: `{{parameters.name}}`.',
      fields: {
        name: { kind: 'text', takesScalars: true, required: true, description: 'Name of the parameter.' },
        required: flag('The parameter must be given.'),
        default: { kind: 'any', description: 'Value if none is given.' },
        description: text('Description. Informational.'),
      },
    },
  },
  states: { kind: 'any', required: true, description: 'The state that the template provides.' },
} as const satisfies Fields;

/** Values of `type`, and the step kind each one means. */
export const stepKinds: Readonly<Record<string, StepKind>> = {
  step: 'command',
  command: 'command',
  agent: 'agent',
  parallel: 'parallel',
  for_each: 'for_each',
  while: 'while',
  operation: 'operation',
  call_workflow: 'call_workflow',
  terminal: 'terminal',
};
