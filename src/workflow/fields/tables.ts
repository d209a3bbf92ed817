// Every key of a workflow file. Reading, the JSON Schema and the reference page are made from these tables.
import { agentBlocks, agentFields } from './agent-fields.js';
import type { Fields } from './field.js';
import { expression, flag, hooks, state, states, template, text, texts } from './words.js';

const validationFields = {
  pattern: text('A regular expression that a text must match.'),
  enum: texts('The texts that are allowed.'),
  min: { kind: 'integer', about: 'The least number.' },
  max: { kind: 'integer', about: 'The greatest number.' },
  file_exists: flag('The text must be the path of a file.'),
  file_extension: texts('What the path must end with, such as `.md`.'),
} as const satisfies Fields;

export const inputFields = {
  name: { kind: 'text', needed: true, about: 'By which `{{.inputs.name}}` and `-i name=value` know it.' },
  description: text('For whoever runs the workflow.'),
  type: {
    kind: 'text',
    values: ['string', 'integer', 'boolean'],
    about: 'What the value must be. Left out: anything.',
  },
  required: flag('The run does not start without it. On a terminal it is asked for.'),
  default: { kind: 'any', about: 'The value when none is given.' },
  validation: {
    kind: 'map',
    about: 'Rules for the value. All that is broken is told at once.',
    of: validationFields,
  },
} as const satisfies Fields;

const outputFields = {
  name: { kind: 'text', needed: true, about: 'The name of the output.' },
  from: {
    kind: 'text',
    needed: true,
    holds: 'expression',
    about: 'Where it comes from: `states.build.Output`.',
  },
} as const satisfies Fields;

export const workflowFields = {
  name: { kind: 'text', needed: true, about: 'The name of the workflow.' },
  description: text('What it is for.'),
  version: text('Of this workflow. For people.'),
  author: text('Who wrote it. For people.'),
  tags: texts('For people.'),
  env: texts('Variables that must be set. Missing ones are told before the run.'),
  inputs: {
    kind: 'list',
    about: 'What the workflow is given.',
    of: { kind: 'map', about: 'An input.', of: inputFields },
  },
  states: { kind: 'any', needed: true, about: 'The steps by name, and `initial`, the name of the first.' },
  hooks: {
    kind: 'map',
    about: 'What to do when the run starts, ends, fails or is stopped.',
    of: {
      workflow_start: hooks('Before the first state.'),
      workflow_end: hooks('After success.'),
      workflow_error: hooks('After failure. Here, and only here, `error` is known.'),
      workflow_cancel: hooks('After it was stopped.'),
    },
  },
  plugins: {
    kind: 'record',
    about: 'Short names for plugins, in `operation` and in types of steps: `pg: database`.',
    of: text('The name of a plugin.'),
  },
  outputs: {
    kind: 'either',
    about: 'What the run gives: a mapping of names to expressions, or a list of `name` and `from`.',
    first: { kind: 'record', about: 'By name.', of: expression('Where it comes from.') },
    second: { kind: 'list', about: 'As a list.', of: { kind: 'map', about: 'An output.', of: outputFields } },
  },
} as const satisfies Fields;

const retryFields = {
  max_attempts: { kind: 'integer', least: 1, about: 'How often the step is tried in all.' },
  initial_delay: { kind: 'duration', about: 'The wait before the second attempt.' },
  max_delay: { kind: 'duration', about: 'No wait is longer.' },
  backoff: {
    kind: 'text',
    values: ['constant', 'linear', 'exponential'],
    about: 'How waits grow. Default: constant.',
  },
  multiplier: { kind: 'number', least: 0, about: 'Of exponential waits. Default: 2.' },
  jitter: { kind: 'number', least: 0, most: 1, about: 'The part of each wait that is left to chance.' },
  retryable_exit_codes: {
    kind: 'list',
    about: 'Only these are tried again. Default: all but 0.',
    of: { kind: 'integer', about: 'An exit status.' },
  },
  may_repeat: flag('It does no harm when the step runs twice. Needed for all steps but commands.'),
} as const satisfies Fields;

const captureFields = {
  stdout: text('The name under which `Response` holds what was written to stdout.'),
  stderr: text('The name under which `Response` holds what was written to stderr.'),
  max_size: { kind: 'size', about: 'How much is kept of each: its end, with the cut stated. Default: 1MB.' },
  encoding: text('How the output is encoded, such as `latin1`. Default: utf-8.'),
} as const satisfies Fields;

const inlineFailureFields = {
  message: { kind: 'text', needed: true, holds: 'template', about: 'What the run says as it fails.' },
  status: { kind: 'integer', least: 1, most: 255, about: 'The exit status of the command. Default: 1.' },
} as const satisfies Fields;

const transitionFields = {
  when: expression('The condition. Left out: always.'),
  goto: { kind: 'text', needed: true, holds: 'state', about: 'Where to go.' },
} as const satisfies Fields;

/** Keys of every state. */
export const commonFields = {
  type: { kind: 'text', about: 'The kind of step.' },
  description: text('For people.'),
  on_success: state('Where to go after success.'),
  on_failure: {
    kind: 'either',
    about: 'Where to go after failure; or a message with which the run fails.',
    first: state('The name of a state.'),
    second: { kind: 'map', about: 'How the run fails.', of: inlineFailureFields },
  },
  transitions: {
    kind: 'list',
    about: 'Conditions that come before `on_success` and `on_failure`. The first that holds is taken.',
    of: { kind: 'map', about: 'A transition.', of: transitionFields },
  },
  continue_on_error: flag('After failure go where success goes.'),
  timeout: { kind: 'duration', about: 'Whole seconds, or a text such as `500ms` or `2m`. Ends the step.' },
  retry: { kind: 'map', about: 'How a failed step is tried again.', of: retryFields },
  capture: { kind: 'map', about: 'What is kept of the output.', of: captureFields },
  depends_on: states('States that must be done before. Branches of `parallel` wait for each other by it.'),
  hooks: {
    kind: 'map',
    about: 'What to do before and after the step.',
    of: { pre: hooks('Before.'), post: hooks('After, also after failure.') },
  },
  use_template: text('The name of a file in `templates/` whose state this one is made from.'),
  parameters: {
    kind: 'record',
    about: 'What the template is given.',
    of: { kind: 'any', about: 'A value.' },
  },
} as const satisfies Fields;

const commandFields = {
  command: { kind: 'text', holds: 'command', about: 'A command for the shell.' },
  script_file: template('A script instead. With `#!` it is run directly.'),
  dir: template('Where it runs. Default: the workspace.'),
} as const satisfies Fields;

const parallelFields = {
  parallel: { ...states('The states that run side by side.'), needed: true },
  strategy: {
    kind: 'text',
    values: ['all_succeed', 'any_succeed', 'best_effort'],
    about: 'When it succeeds, and when the rest is stopped. Default: all_succeed.',
  },
  max_concurrent: { kind: 'integer', least: 0, about: 'How many run at once. 0 or left out: all.' },
} as const satisfies Fields;

const loopFields = {
  body: { ...states('The states of one round, in their order.'), needed: true },
  max_iterations: {
    kind: 'either',
    about: 'How many rounds there may be: a number or an expression. Default: 100, at most 10,000.',
    first: { kind: 'integer', least: 0, most: 10_000, about: 'A number.' },
    second: template('An expression.'),
  },
  break_when: expression('Ends the loop after a round in which it holds.'),
  on_complete: state('Where to go after the last round.'),
} as const satisfies Fields;

const forEachFields = {
  items: {
    kind: 'any',
    needed: true,
    holds: 'template',
    about: 'A list; or a text: a JSON array, or words with commas.',
  },
  ...loopFields,
} as const satisfies Fields;

const whileFields = {
  while: { ...expression('Goes on as long as it holds.'), needed: true },
  ...loopFields,
} as const satisfies Fields;

const operationFields = {
  operation: { kind: 'text', needed: true, about: 'An operation of a plugin: `plugin.operation`.' },
  inputs: { kind: 'any', holds: 'template', about: 'Its arguments.' },
  operation_inputs: { kind: 'any', holds: 'template', about: 'The same, by its older name.' },
} as const satisfies Fields;

const callFields = {
  workflow: { kind: 'text', needed: true, about: 'The name or the path of a workflow.' },
  inputs: { kind: 'any', holds: 'template', about: 'Its inputs.' },
  outputs: {
    kind: 'record',
    about: 'What is taken over: a name here, and an output of the workflow or an expression there.',
    of: text('An output of the workflow, or such as `states.build.Output`.'),
  },
} as const satisfies Fields;

const terminalFields = {
  status: { kind: 'text', values: ['success', 'failure', ''], about: 'How the run ends. Default: success.' },
  message: template('What it says as it ends.'),
} as const satisfies Fields;

const pluginStepFields = {
  config: { kind: 'any', holds: 'template', about: 'What the plugin is given.' },
} as const satisfies Fields;

/** The keys of each kind of step, beside those that all have. */
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
  name: { kind: 'text', needed: true, about: 'The name of the template.' },
  parameters: {
    kind: 'list',
    about: 'What it can be given.',
    of: {
      kind: 'map',
      about: 'A parameter: `{{parameters.name}}`.',
      of: {
        name: { kind: 'text', needed: true, about: 'Its name.' },
        required: flag('It must be given.'),
        default: { kind: 'any', about: 'The value when it is not.' },
        description: text('For people.'),
      },
    },
  },
  states: { kind: 'any', needed: true, about: 'The state that it stands for.' },
} as const satisfies Fields;

/** What people write for `type`, and the kind that it is. */
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
