// Describes what a step would do, for a person who decides on trust. Shows every key not listed as harmless.
import { isRecord } from '../lib/is-record.js';
import { durationText } from '../lib/schema-table/duration.js';
import type { Fields } from './fields/field.js';
import { commonFields, type StepKind, stepFields } from './fields/tables.js';
import { providerNamed } from './grammar/providers.js';
import { describeNativePermissions } from './describe-native-permissions.js';
import type { HookActions, Step, StepOf } from './grammar/workflow.js';
import { builtinFacts, variablesOf } from './operation-facts.js';
import { attemptsOf, timeoutOf } from './run/retries.js';
import { isIsolated, stepTools } from './step-tools.js';

/**
 * Keys that do not affect what runs, what is sent where or who may do what, or that the plan shows in another form.
 * A test compares this list with the key tables.
 */
export const harmlessKeys: Readonly<Record<StepKind | 'common', readonly string[]>> = {
  // The plan shows the name, transitions, time limit and attempts; templates are already filled in.
  common: [
    ...['type', 'description', 'on_success', 'on_failure', 'transitions', 'timeout', 'retry', 'hooks'],
    ...['capture', 'depends_on', 'use_template', 'parameters'],
  ],
  command: [],
  agent: ['output_format'],
  // Branches and loop bodies are listed below their step.
  parallel: ['parallel'],
  for_each: ['body', 'on_complete'],
  while: ['body', 'on_complete'],
  operation: [],
  call_workflow: [],
  terminal: [],
  plugin: [],
};

export function stepFacts(step: Step): readonly string[] {
  const limit = timeoutOf(step);
  const tries = attemptsOf(step);
  const times = [
    ...(step.kind === 'terminal' ? [] : [`timeout: ${limit === undefined ? 'none' : durationText(limit)}`]),
    ...(tries > 1 ? [`attempts: ${tries}`] : []),
  ];
  const { pre, post } = step.common.hooks ?? {};
  return [
    ...ownFacts(step),
    ...failureFacts(step),
    ...rest(pick(step.common, commonFields), harmlessKeys.common),
    ...hookLines('pre hook', pre),
    ...hookLines('post hook', post),
    ...(times.length > 0 ? [times.join(', ')] : []),
  ];
}

/** Texts that the caller of a run gets, and variables of the operator in them. */
function failureFacts({ common: { on_failure: failure }, ...step }: Step): readonly string[] {
  const message = typeof failure === 'object' ? failure.message : undefined;
  const said = step.kind === 'terminal' ? step.own.message : undefined;
  return [
    ...(message === undefined ? [] : whole('on failure, the caller gets', message)),
    ...givenVariables([message, said].flatMap((text) => (text === undefined ? [] : variablesOf(text)))),
  ];
}

export function givenVariables(names: readonly string[]): readonly string[] {
  const all = [...new Set(names)].sort();
  return all.length === 0 ? [] : [`gives the caller environment variables: ${all.join(', ')}`];
}

export function hookLines(name: string, actions: HookActions | undefined): readonly string[] {
  return (actions ?? []).flatMap(({ command }) =>
    command === undefined ? [] : whole(`${name} runs`, command),
  );
}

function ownFacts(step: Step): readonly string[] {
  const { kind } = step;
  const own = pick(step.own, stepFields[kind]);
  switch (step.kind) {
    case 'command': {
      const { command, script_file: script, dir } = step.own;
      return [
        ...(command === undefined ? [] : whole('runs', command)),
        ...(script === undefined ? [] : [`runs: script ${script}`]),
        ...(dir === undefined ? [] : [`in: ${dir}`]),
        ...rest(own, [...harmlessKeys[kind], 'command', 'script_file', 'dir']),
      ];
    }
    case 'agent':
      return agentFacts(step);
    case 'for_each':
      return [
        ...whole('for each of', textOf(step.own.items)),
        ...rest(own, [...harmlessKeys[kind], 'items']),
      ];
    case 'operation':
      return [
        `calls: ${step.own.operation ?? ''}`,
        ...(builtinFacts(step, whole) ?? rest(own, [...harmlessKeys[kind], 'operation'])),
      ];
    case 'terminal':
      return [
        `ends: ${step.own.status === 'failure' ? 'failure' : 'success'}`,
        ...rest(own, [...harmlessKeys[kind], 'status']),
      ];
    default:
      return rest(own, harmlessKeys[kind]);
  }
}

function agentFacts({ own }: StepOf<'agent'>): readonly string[] {
  const { provider = '', prompt, system_prompt: system, prompt_file: file, conversation } = own;
  const told = ['provider', 'prompt', 'prompt_file', 'system_prompt', 'options', 'mcp_proxy', 'tidegate'];
  return [
    `agent: ${provider}`,
    ...optionFacts(provider, own.options),
    ...(conversation === undefined ? [] : [`continues: ${conversation.continue_from ?? ''}`]),
    ...(prompt === undefined ? [] : whole('prompt', prompt)),
    ...(file === undefined ? [] : [`prompt: file ${file}`]),
    ...(system === undefined ? [] : whole('system prompt', system)),
    ...toolFacts(own),
    ...rest(pick(own, stepFields.agent), [...harmlessKeys.agent, ...told, 'conversation']),
  ];
}

/** Program, model, endpoint and the secret that is sent to it. */
function optionFacts(provider: string, given: unknown): readonly string[] {
  if (given !== undefined && !isRecord(given)) return whole('options', textOf(given));
  const options = given ?? {};
  const {
    model,
    program,
    base_url: url,
    api_key_env: variable,
    api_key: key,
    system_prompt: system,
  } = options;
  const isCli = providerNamed(provider) !== 'openai_compatible';
  const start = program === undefined ? `the ${provider} on PATH` : textOf(program);
  const secret =
    variable === undefined
      ? 'the default API key variable of this agent'
      : `the variable ${textOf(variable)}`;
  return [
    ...(model === undefined ? [] : [`model: ${textOf(model)}`]),
    ...(isCli || program !== undefined ? [`starts: ${start}`] : []),
    ...(url === undefined ? [] : [`endpoint: ${textOf(url)}`]),
    ...(url === undefined && variable === undefined ? [] : [`sends the API key from: ${secret}`]),
    ...(key === undefined ? [] : keyFacts(textOf(key))),
    ...(system === undefined ? [] : whole('system prompt', textOf(system))),
    ...rest(options, ['model', 'program', 'base_url', 'api_key_env', 'api_key', 'system_prompt'], 'options.'),
  ];
}

/** Hides a key written in the file, but shows how a template fills it in. */
function keyFacts(key: string): readonly string[] {
  if (!key.includes('{{')) return ['sends the API key in the file (api_key)'];
  const names = [...new Set(variablesOf(key))].sort();
  return [
    ...whole('sends as the API key', key),
    ...(names.length === 0 ? [] : [`sends environment variables: ${names.join(', ')}`]),
  ];
}

/** Tools from the gateway, and whether the agent keeps its own tools. */
function toolFacts(own: StepOf<'agent'>['own']): readonly string[] {
  const { mcp_proxy: proxy, tidegate: gate } = own;
  const { patterns, servers, pluginTools, profile } = stepTools(proxy, gate);
  const plugins = pluginTools.flatMap(({ plugin, expose }) => expose.map((name) => `${plugin}_${name}`));
  const tools = [...patterns, ...plugins, ...servers.map((server) => `all of ${server}`)];
  const within = profile === undefined ? '' : ` within profile ${profile}`;
  return [
    `tools: ${tools.length === 0 ? 'none from Tidegate' : tools.join(', ')}${within}`,
    ...isolationFacts(own),
    ...rest(proxy ?? {}, ['enable', 'intercept_builtins', 'plugin_tools'], 'mcp_proxy.'),
    ...rest(gate ?? {}, ['profile', 'tools', 'servers', 'allow_native'], 'tidegate.'),
  ];
}

function isolationFacts({
  provider = '',
  options,
  mcp_proxy: proxy,
  tidegate: gate,
}: StepOf<'agent'>['own']): readonly string[] {
  const isCli = providerNamed(provider) !== 'openai_compatible';
  if (isCli && !isIsolated(proxy, gate)) {
    return [
      'isolation: none. The agent keeps its own tools, and their calls bypass Tidegate. Only you can run this step: agents that start the workflow are refused.',
      `native permissions: ${describeNativePermissions(provider, options)}`,
    ];
  }
  if (!isCli || gate?.allow_native !== true) return ['isolation: only tools from Tidegate'];
  return [
    'isolation: weakened by allow_native. The step continues even if the agent used its own tools. Only you can run this step: agents that start the workflow are refused.',
  ];
}

/** Keys of the step that belong to one table. */
function pick(values: object, fields: Fields): object {
  return Object.fromEntries(Object.entries(values).filter(([key]) => Object.hasOwn(fields, key)));
}

/** Every key not shown above. */
function rest(values: object, told: readonly string[], prefix = ''): readonly string[] {
  return Object.entries(values)
    .filter(([key, value]) => value !== undefined && !told.includes(key))
    .flatMap(([key, value]) => whole(`${prefix}${key}`, textOf(value)));
}

/** All lines of a text that will be run or shown to an agent. */
function whole(label: string, text: string): readonly string[] {
  const lines = text.trim().split('\n');
  if (lines.length === 1) return [`${label}: ${lines[0] ?? ''}`];
  return [`${label}:`, ...lines.map((line) => `  | ${line.replaceAll('\t', '  ')}`)];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
