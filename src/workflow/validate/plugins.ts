import type { PluginInput, Plugins, PluginTools } from '../../ports/plugins.js';
import { nearest } from '../../lib/nearest.js';
import { quote } from '../../lib/source-place.js';
import type { Flaw, Report } from '../finding.js';
import {
  type BuiltinOperation,
  builtinsOf,
  noop,
  operationInputs,
  unsupportedOperation,
} from '../grammar/builtin-operations.js';
import { splitDotted, type Step, type StepOf, type Workflow } from '../grammar/workflow.js';
import { builtinNames } from '../step-tools.js';
import { flawAt } from './flaw-at.js';
import { documentedForm } from './documented-form.js';

/** Finds other providers with tools of these names. */
export type FindRivals = (tools: readonly string[]) => Promise<Rivals>;

export interface Rivals {
  readonly collisions: readonly { readonly name: string; readonly first: string; readonly second: string }[];
  /** Servers that may have one of the names but could not be reached. */
  readonly unasked: readonly string[];
}

export interface PluginCheck {
  /** Undefined: plugins are not used, and checks that need them are reported as skipped. */
  readonly plugins: Plugins | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Before a run: a required plugin that is unavailable is an error. */
  readonly isNeeded?: boolean;
  /** Undefined: names are compared when the step starts. */
  readonly findRivals?: FindRivals;
}

/** Checks that need plugins: their names, operations, step types and validators. */
export async function checkPlugins(workflow: Workflow, check: PluginCheck, report: Report): Promise<void> {
  const { plugins } = check;
  const users = [...workflow.steps.values()].filter(usesPlugins);
  if (plugins === undefined) {
    for (const step of users) skipped(step, 'This step was not checked with its plugin.', report);
    return;
  }
  for (const step of users) await checkStep(step, workflow, { ...check, plugins }, report);
  const { signal, timeoutMs } = check;
  if (plugins.list().every(({ capabilities }) => !capabilities.includes('validators'))) return;
  const limits = { signal, ...(timeoutMs !== undefined && { timeoutMs }) };
  for (const issue of await plugins.validate(documentedForm(workflow), limits)) {
    const severity = issue.severity === 'error' ? 'error' : 'warning';
    // The remedy follows as a new sentence.
    const message = `${issue.plugin}: ${issue.message.trim()}`.replace(/[^.!?]$/, '$&.');
    const step = issue.step === undefined ? undefined : workflow.steps.get(issue.step);
    const { source } = workflow;
    report(
      step === undefined
        ? { code: 'WORKFLOW.VALIDATION.PLUGIN_RULE', message, source, offset: 0, path: [], severity }
        : flawAt(
            step,
            issue.field === undefined ? [] : [issue.field],
            'WORKFLOW.VALIDATION.PLUGIN_RULE',
            message,
            { severity },
          ),
    );
  }
}

function usesPlugins(step: Step): boolean {
  if (step.kind === 'agent')
    return step.own.mcp_proxy?.enable === true && (step.own.mcp_proxy.plugin_tools ?? []).length > 0;
  return (step.kind === 'operation' && step.own.operation !== noop) || step.kind === 'plugin';
}

function skipped(step: Step, message: string, report: Report): void {
  report(flawAt(step, [], 'WORKFLOW.VALIDATION.CHECK_SKIPPED', message, { offset: step.offset }));
}

type Asked = PluginCheck & { readonly plugins: Plugins };

async function checkStep(step: Step, workflow: Workflow, check: Asked, report: Report): Promise<void> {
  if (step.kind === 'agent') return checkTools(step, check, report);
  const dotted = step.kind === 'operation' ? step.own.operation : step.type;
  if (dotted === undefined) return;
  const key = step.kind === 'operation' ? 'operation' : 'type';
  const parts = splitDotted(dotted, workflow.plugins);
  if (parts === undefined) {
    const message = `${quote(dotted)} must have the form plugin.operation.`;
    return report(flawAt(step, [key], 'WORKFLOW.PARSE.INVALID_VALUE', message));
  }
  const names = check.plugins.list().map(({ name }) => name);
  const unsupported =
    step.kind === 'operation' ? unsupportedOperation(dotted, parts.plugin, names) : undefined;
  if (unsupported !== undefined) {
    const message = `${unsupported} The step will fail.`;
    return report(flawAt(step, [key], 'EXECUTION.OPERATION.UNSUPPORTED', message, { severity: 'warning' }));
  }
  const builtins = step.kind === 'operation' ? builtinsOf(parts.plugin, names) : undefined;
  if (step.kind === 'operation' && builtins !== undefined) return checkBuiltin(step, parts, builtins, report);
  if (!names.includes(parts.plugin)) return report(unknownPlugin(step, key, parts.plugin, names));
  const offer = await check.plugins.offer(parts.plugin, check.signal);
  if (!offer.ok) {
    const { message } = offer.fault;
    if (check.isNeeded !== true)
      return skipped(step, `Cannot check with the plugin ${quote(parts.plugin)}: ${message}`, report);
    const why = `The plugin ${quote(parts.plugin)} is not available: ${message}`;
    return report(flawAt(step, [key], 'USER.PLUGIN.UNAVAILABLE', why));
  }
  const known = (step.kind === 'operation' ? offer.value.operations : offer.value.stepTypes).map(
    ({ name }) => name,
  );
  if (known.includes(parts.rest)) {
    const operation = offer.value.operations.find(({ name }) => name === parts.rest);
    if (step.kind === 'operation' && operation?.inputs) checkInputs(step, operation.inputs, report);
    return;
  }
  report(unknownPart(step, parts, known));
}

interface Parts {
  readonly plugin: string;
  readonly rest: string;
}

function unknownPart(step: Step, { plugin, rest }: Parts, known: readonly string[]): Flaw {
  const near = nearest(rest, known);
  const [key, code] =
    step.kind === 'operation'
      ? (['operation', 'USER.MCP_PROXY.UNKNOWN_OPERATION'] as const)
      : (['type', 'WORKFLOW.VALIDATION.UNKNOWN_STEP_TYPE'] as const);
  return flawAt(step, [key], code, `${quote(plugin)} has no ${quote(rest)}.`, {
    ...(near !== undefined && { remedy: `Did you mean ${plugin}.${near}?` }),
  });
}

/** Built-in operations are fully known, so a mismatch is an error. */
function checkBuiltin(
  step: StepOf<'operation'>,
  parts: Parts,
  builtins: Readonly<Record<string, BuiltinOperation>>,
  report: Report,
): void {
  const operation = Object.hasOwn(builtins, parts.rest) ? builtins[parts.rest] : undefined;
  if (operation === undefined) return report(unknownPart(step, parts, Object.keys(builtins)));
  if (operationInputs(step) === undefined)
    return report(flawAt(step, ['inputs'], 'WORKFLOW.PARSE.INVALID_VALUE', '`inputs` must be a mapping.'));
  checkInputs(step, operation.inputs, report, 'error');
}

/** `severity`: for an unknown input. A plugin may accept more inputs than it declares. */
function checkInputs(
  step: StepOf<'operation'>,
  inputs: readonly PluginInput[],
  report: Report,
  severity: 'warning' | 'error' = 'warning',
): void {
  const { operation = '', inputs: plain, operation_inputs: long } = step.own;
  const key = plain === undefined ? 'operation_inputs' : 'inputs';
  const given = Object.keys(plain ?? long ?? {});
  const addFlaw = (way: readonly string[], message: string, more: Partial<Flaw>): void =>
    report(flawAt(step, way, 'WORKFLOW.VALIDATION.UNDEFINED_INPUT', message, more));
  for (const { name, isRequired } of inputs) {
    if (isRequired && !given.includes(name))
      addFlaw([key], `${quote(operation)} requires the input ${quote(name)}.`, {
        remedy: `Add ${name} to \`inputs\`.`,
      });
  }
  const known = inputs.map(({ name }) => name);
  for (const name of given.filter((one) => !known.includes(one))) {
    const near = nearest(name, known);
    const all = known.length === 0 ? 'It takes no inputs.' : `Available: ${known.join(', ')}.`;
    addFlaw([key, name], `${quote(operation)} has no input ${quote(name)}.`, {
      severity,
      remedy: near === undefined ? all : `Did you mean ${near}?`,
    });
  }
}

function unknownPlugin(step: Step, key: string, plugin: string, names: readonly string[]): Flaw {
  const near = nearest(plugin, names);
  return flawAt(step, [key], 'USER.MCP_PROXY.UNKNOWN_PLUGIN', `There is no plugin ${quote(plugin)}.`, {
    ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
  });
}

async function checkTools(step: StepOf<'agent'>, check: Asked, report: Report): Promise<void> {
  const { plugin_tools: entries = [], intercept_builtins: hasBuiltins = true } = step.own.mcp_proxy ?? {};
  const wanted = entries.map(({ plugin = '', expose = [] }) => ({ plugin, expose }));
  const checked = await check.plugins.check(wanted, hasBuiltins ? builtinNames : [], check.signal);
  for (const { code, message, entry, exposed } of checked.problems) {
    // Problems that need no plugin were already reported.
    const way = [
      'mcp_proxy',
      'plugin_tools',
      entry,
      ...(exposed === undefined ? ['plugin'] : ['expose', exposed]),
    ];
    report(flawAt(step, way, code, message));
  }
  for (const { entry, fault } of checked.unchecked) {
    const plugin = wanted[entry]?.plugin ?? '';
    skipped(step, `Cannot check with the plugin ${quote(plugin)}: ${fault.message}`, report);
  }
  if (check.findRivals !== undefined) await checkRivals(step, wanted, check, report);
}

/** A server tool with the same name makes the step fail before its agent starts. */
async function checkRivals(
  step: StepOf<'agent'>,
  wanted: readonly PluginTools[],
  { plugins, signal, findRivals }: Asked,
  report: Report,
): Promise<void> {
  const named: { readonly tool: string; readonly way: readonly (string | number)[] }[] = [];
  for (const [entry, { plugin, expose }] of wanted.entries()) {
    const offer = await plugins.offer(plugin, signal);
    const operations = offer.ok ? offer.value.operations : [];
    for (const [exposed, operation] of expose.entries()) {
      const tool = operations.find(({ name }) => name === operation)?.tool;
      if (tool !== undefined)
        named.push({ tool, way: ['mcp_proxy', 'plugin_tools', entry, 'expose', exposed] });
    }
  }
  if (named.length === 0 || findRivals === undefined) return;
  const { collisions, unasked } = await findRivals(named.map(({ tool }) => tool));
  for (const { tool, way } of named) {
    const clash = collisions.find(({ name }) => name === tool);
    if (clash === undefined) continue;
    const message = `${clash.first} and ${clash.second} both offer ${quote(tool)}.`;
    report(flawAt(step, way, 'USER.MCP_PROXY.NAME_COLLISION', message));
  }
  for (const server of unasked)
    skipped(step, `Cannot list the tools of server ${quote(server)}: its names may collide.`, report);
}
