// All keys of a workflow file. The reader, the JSON Schema and the reference page use these tables.
import { agentBlocks, agentFields } from './agent-fields.js';
import type { Fields } from './field.js';
import { expression, flag, hooks, state, states, template, text, texts } from './words.js';

const validationFields = {
  pattern: text('Regular expression the string must match.'),
  enum: texts('Allowed strings.'),
  min: { kind: 'integer', about: 'Smallest number allowed.' },
  max: { kind: 'integer', about: 'Largest number allowed.' },
  file_exists: flag('The string must be the path of an existing file.'),
  file_extension: texts('Allowed file extensions, such as `.md`.'),
} as const satisfies Fields;

export const inputFields = {
  name: { kind: 'text', needed: true, about: 'Name used in `{{.inputs.name}}` and `-i name=value`.' },
  description: text('Shown to the person who runs the workflow.'),
  type: {
    kind: 'text',
    values: ['string', 'integer', 'number', 'boolean', 'array'],
    about:
      'Type of the value. `array`: a list, a JSON array in a string, or words separated by commas. If omitted: any.',
  },
  required: flag('The run requires this input. On a terminal, Tidegate asks for it.'),
  default: { kind: 'any', about: 'Value if none is given.' },
  validation: {
    kind: 'map',
    about: 'Rules for the value. All violations are reported together.',
    of: validationFields,
  },
} as const satisfies Fields;

const outputFields = {
  name: { kind: 'text', needed: true, about: 'Name of the output.' },
  from: {
    kind: 'text',
    needed: true,
    holds: 'expression',
    about: 'Expression for the value: `states.build.Output`.',
  },
} as const satisfies Fields;

export const workflowFields = {
  name: { kind: 'text', needed: true, about: 'Name of the workflow.' },
  description: text('What the workflow does.'),
  version: text('Version of the workflow. Informational.'),
  author: text('Author of the workflow. Informational.'),
  tags: texts('Tags. Informational.'),
  env: texts('Environment variables the workflow needs. Missing ones are reported before the run.'),
  inputs: {
    kind: 'list',
    about: 'Inputs of the workflow.',
    of: { kind: 'map', about: 'An input.', of: inputFields },
  },
  states: {
    kind: 'any',
    needed: true,
    about: 'The states by name, and `initial`, the name of the first state.',
  },
  hooks: {
    kind: 'map',
    about: 'What to do when the run starts, ends, fails or is stopped.',
    of: {
      workflow_start: hooks('Before the first state.'),
      workflow_end: hooks('After success.'),
      workflow_error: hooks('After failure. `error` is available only here.'),
      workflow_cancel: hooks('After the run was stopped.'),
    },
  },
  plugins: {
    kind: 'record',
    about: 'Short names for plugins, for use in `operation` and in step types: `pg: database`.',
    of: text('Name of a plugin.'),
  },
  outputs: {
    kind: 'either',
    about: 'Outputs of the run: a mapping of names to expressions, or a list of `name` and `from`.',
    first: {
      kind: 'record',
      about: 'A mapping of names to expressions.',
      of: expression('Expression for the value.'),
    },
    second: {
      kind: 'list',
      about: 'A list of outputs.',
      of: { kind: 'map', about: 'An output.', of: outputFields },
    },
  },
} as const satisfies Fields;

const retryFields = {
  max_attempts: { kind: 'integer', least: 1, about: 'Maximum number of attempts, including the first.' },
  initial_delay: { kind: 'duration', about: 'Delay before the second attempt.' },
  max_delay: { kind: 'duration', about: 'Maximum delay.' },
  backoff: {
    kind: 'text',
    values: ['constant', 'linear', 'exponential'],
    about: 'How the delay grows. Default: constant.',
  },
  multiplier: { kind: 'number', least: 0, about: 'Factor for exponential delays. Default: 2.' },
  jitter: { kind: 'number', least: 0, most: 1, about: 'Random part of each delay, from 0 to 1.' },
  retryable_exit_codes: {
    kind: 'list',
    about: 'Exit codes to retry. Default: all except 0.',
    of: { kind: 'integer', about: 'An exit code.' },
  },
  may_repeat: flag('The step may safely run twice. Required to retry any step that is not a command.'),
} as const satisfies Fields;

const captureFields = {
  stdout: text('Name of the entry in `Response` with the standard output.'),
  stderr: text('Name of the entry in `Response` with the standard error.'),
  max_size: {
    kind: 'size',
    about: 'How much of each output is kept. Longer output is cut at the start, with a note. Default: 1MB.',
  },
  encoding: text('Encoding of the output, such as `latin1`. Default: utf-8.'),
} as const satisfies Fields;

const inlineFailureFields = {
  message: { kind: 'text', needed: true, holds: 'template', about: 'Error message of the run.' },
  status: { kind: 'integer', least: 1, most: 255, about: 'Exit status of the run. Default: 1.' },
} as const satisfies Fields;

const transitionFields = {
  when: expression('Condition. If omitted: always.'),
  goto: { kind: 'text', needed: true, holds: 'state', about: 'Next state.' },
} as const satisfies Fields;

/** Keys of every state. */
export const commonFields = {
  type: { kind: 'text', about: 'Type of the step.' },
  description: text('Description. Informational.'),
  on_success: state('Next state after success.'),
  on_failure: {
    kind: 'either',
    about: 'Next state after failure, or a message with which the run fails.',
    first: state('Name of a state.'),
    second: { kind: 'map', about: 'How the run fails.', of: inlineFailureFields },
  },
  transitions: {
    kind: 'list',
    about: 'Conditions that are checked before `on_success` and `on_failure`. The first match wins.',
    of: { kind: 'map', about: 'A transition.', of: transitionFields },
  },
  continue_on_error: flag('After failure, go to the `on_success` state.'),
  timeout: { kind: 'duration', about: 'Time limit: whole seconds, or a string such as `500ms` or `2m`.' },
  retry: { kind: 'map', about: 'How to retry the step after failure.', of: retryFields },
  capture: { kind: 'map', about: 'What to keep of the output.', of: captureFields },
  depends_on: states('States that must be done first. Branches of `parallel` use it to wait for each other.'),
  hooks: {
    kind: 'map',
    about: 'What to do before and after the step.',
    of: { pre: hooks('Before the step.'), post: hooks('After the step, also after failure.') },
  },
  use_template: text('Name of a file in `templates/` that provides this state.'),
  parameters: {
    kind: 'record',
    about: 'Parameters for the template.',
    of: { kind: 'any', about: 'A value.' },
  },
} as const satisfies Fields;

const commandFields = {
  command: { kind: 'text', holds: 'command', about: 'Shell command.' },
  script_file: template('Script to run instead. A script with a `#!` line is started directly.'),
  dir: template('Working directory. Default: the workspace.'),
} as const satisfies Fields;

const parallelFields = {
  parallel: { ...states('States to run in parallel.'), needed: true },
  strategy: {
    kind: 'text',
    values: ['all_succeed', 'any_succeed', 'best_effort'],
    about: 'When the step succeeds, and when the other branches are stopped. Default: all_succeed.',
  },
  max_concurrent: { kind: 'integer', least: 0, about: 'How many branches run at once. 0 or omitted: all.' },
} as const satisfies Fields;

const loopFields = {
  body: { ...states('States of one iteration, in order.'), needed: true },
  max_iterations: {
    kind: 'either',
    about: 'Maximum number of iterations: a number or an expression. Default: 100, at most 10,000.',
    first: { kind: 'integer', least: 0, most: 10_000, about: 'A number.' },
    second: template('An expression.'),
  },
  break_when: expression('Ends the loop after an iteration in which this condition is true.'),
  on_complete: state('Next state after the last iteration.'),
} as const satisfies Fields;

const forEachFields = {
  items: {
    kind: 'any',
    needed: true,
    holds: 'template',
    about: 'A list, a JSON array in a string, or words separated by commas.',
  },
  ...loopFields,
} as const satisfies Fields;

const whileFields = {
  while: { ...expression('The loop runs as long as this condition is true.'), needed: true },
  ...loopFields,
} as const satisfies Fields;

const operationFields = {
  operation: {
    kind: 'text',
    needed: true,
    about: 'Plugin operation, as `plugin.operation`; or `noop`, which does nothing.',
  },
  inputs: { kind: 'any', holds: 'template', about: 'Arguments of the operation.' },
  operation_inputs: { kind: 'any', holds: 'template', about: 'Older name of `inputs`.' },
} as const satisfies Fields;

const callFields = {
  workflow: { kind: 'text', needed: true, about: 'Name or path of a workflow.' },
  inputs: { kind: 'any', holds: 'template', about: 'Inputs of the called workflow.' },
  outputs: {
    kind: 'record',
    about: 'Values to take over: a name here, mapped to an output of the workflow or to an expression.',
    of: text('An output of the called workflow, or an expression such as `states.build.Output`.'),
  },
} as const satisfies Fields;

const terminalFields = {
  status: { kind: 'text', values: ['success', 'failure', ''], about: 'How the run ends. Default: success.' },
  message: template('Message at the end of the run.'),
} as const satisfies Fields;

const pluginStepFields = {
  config: { kind: 'any', holds: 'template', about: 'Configuration passed to the plugin.' },
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
  name: { kind: 'text', needed: true, about: 'Name of the template.' },
  parameters: {
    kind: 'list',
    about: 'Parameters of the template.',
    of: {
      kind: 'map',
      about: 'A parameter: `{{parameters.name}}`.',
      of: {
        name: { kind: 'text', needed: true, about: 'Name of the parameter.' },
        required: flag('The parameter must be given.'),
        default: { kind: 'any', about: 'Value if none is given.' },
        description: text('Description. Informational.'),
      },
    },
  },
  states: { kind: 'any', needed: true, about: 'The state that the template provides.' },
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
