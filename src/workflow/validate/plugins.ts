import type { PluginInput, Plugins } from '../../kernel/index.js';
import { nearest, quote } from '../../kernel/index.js';
import type { Flaw, Report } from '../finding.js';
import { splitDotted, type Step, type StepOf, type Workflow } from '../grammar/workflow.js';
import { builtinNames } from '../step-tools.js';
import { flawAt } from './flaw-at.js';
import { documentedForm } from './documented-form.js';

export interface PluginCheck {
  /** Undefined: nothing of plugins is asked, and what depends on them is told as skipped. */
  readonly plugins: Plugins | undefined;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** Before a run: a plugin that its steps need and that cannot be asked is an error. */
  readonly isNeeded?: boolean;
}

/** What only plugins can say: their names, their operations, their types of steps, and what their validators think. */
export async function checkPlugins(workflow: Workflow, check: PluginCheck, report: Report): Promise<void> {
  const { plugins } = check;
  const users = [...workflow.steps.values()].filter(usesPlugins);
  if (plugins === undefined) {
    for (const step of users) skipped(step, 'Plugins were not asked about this step.', report);
    return;
  }
  for (const step of users) await checkStep(step, workflow, { ...check, plugins }, report);
  const { signal, timeoutMs } = check;
  if (plugins.list().every(({ capabilities }) => !capabilities.includes('validators'))) return;
  const limits = { signal, ...(timeoutMs !== undefined && { timeoutMs }) };
  for (const issue of await plugins.validate(documentedForm(workflow), limits)) {
    const severity = issue.severity === 'error' ? 'error' : 'warning';
    // What follows begins a sentence.
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
  return step.kind === 'operation' || step.kind === 'plugin';
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
    const message = `${quote(dotted)} is not of the form plugin.operation.`;
    return report(flawAt(step, [key], 'WORKFLOW.PARSE.INVALID_VALUE', message));
  }
  const names = check.plugins.list().map(({ name }) => name);
  if (!names.includes(parts.plugin)) return report(unknownPlugin(step, key, parts.plugin, names));
  const offer = await check.plugins.offer(parts.plugin, check.signal);
  if (!offer.ok) {
    const { message } = offer.fault;
    if (check.isNeeded !== true)
      return skipped(step, `The plugin ${quote(parts.plugin)} could not be asked: ${message}`, report);
    const why = `The plugin ${quote(parts.plugin)} cannot be used: ${message}`;
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
  const near = nearest(parts.rest, known);
  const code =
    step.kind === 'operation' ? 'USER.MCP_PROXY.UNKNOWN_OPERATION' : 'WORKFLOW.VALIDATION.UNKNOWN_STEP_TYPE';
  report(
    flawAt(step, [key], code, `${quote(parts.plugin)} has no ${quote(parts.rest)}.`, {
      ...(near !== undefined && { remedy: `Did you mean ${parts.plugin}.${near}?` }),
    }),
  );
}

function checkInputs(step: StepOf<'operation'>, inputs: readonly PluginInput[], report: Report): void {
  const { operation = '', inputs: plain, operation_inputs: long } = step.own;
  const key = plain === undefined ? 'operation_inputs' : 'inputs';
  const given = Object.keys(plain ?? long ?? {});
  const tell = (way: readonly string[], message: string, more: Partial<Flaw>): void =>
    report(flawAt(step, way, 'WORKFLOW.VALIDATION.UNDEFINED_INPUT', message, more));
  for (const { name, isRequired } of inputs) {
    if (isRequired && !given.includes(name))
      tell([key], `${quote(operation)} needs the input ${quote(name)}.`, {
        remedy: `Add ${name} to \`inputs\`.`,
      });
  }
  const known = inputs.map(({ name }) => name);
  for (const name of given.filter((one) => !known.includes(one))) {
    const near = nearest(name, known);
    const all = known.length === 0 ? 'It takes none.' : `It takes ${known.join(', ')}.`;
    // The plugin may take more than it says.
    tell([key, name], `${quote(operation)} has no input ${quote(name)}.`, {
      severity: 'warning',
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

async function checkTools(step: StepOf<'agent'>, { plugins, signal }: Asked, report: Report): Promise<void> {
  const { plugin_tools: entries = [], intercept_builtins: hasBuiltins = true } = step.own.mcp_proxy ?? {};
  const wanted = entries.map(({ plugin = '', expose = [] }) => ({ plugin, expose }));
  const checked = await plugins.check(wanted, hasBuiltins ? builtinNames : [], signal);
  for (const { code, message, entry, exposed } of checked.problems) {
    // The plain ones were found without plugins already.
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
    skipped(step, `The plugin ${quote(plugin)} could not be asked: ${fault.message}`, report);
  }
}
