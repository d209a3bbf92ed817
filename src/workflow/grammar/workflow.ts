import type { Path } from '../../lib/tree.js';
import type { ValuesOf } from '../fields/field.js';
import type { NotedText } from '../fields/read.js';
import type { commonFields, inputFields, StepKind, stepFields, workflowFields } from '../fields/tables.js';
import type { Source } from '../finding.js';

/** A step as read from its file: `common` has the keys of every step, `own` those of its kind. */
export interface StepOf<Kind extends StepKind> {
  readonly kind: Kind;
  readonly name: string;
  readonly source: Source;
  readonly path: Path;
  readonly offset: number;
  /** As written. `step` and `command` are the same kind, and plugins add more types. */
  readonly type: string;
  readonly common: ValuesOf<typeof commonFields>;
  readonly own: ValuesOf<(typeof stepFields)[Kind]>;
}

export type Step = { [Kind in StepKind]: StepOf<Kind> }[StepKind];

export type Input = ValuesOf<typeof inputFields> & {
  readonly name: string;
  /** Index in the list, from 0. */
  readonly at: number;
};
export type Hooks = NonNullable<ValuesOf<typeof workflowFields>['hooks']>;
export type HookActions = NonNullable<Hooks['workflow_start']>;

export interface Output {
  readonly name: string;
  readonly from: string;
}

/** A workflow as read. It must not run if its findings include errors. */
export interface Workflow {
  readonly source: Source;
  readonly name: string;
  readonly description?: string;
  readonly initial?: string;
  readonly env: readonly string[];
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly hooks: Hooks;
  /** Short names of plugins. */
  readonly plugins: Readonly<Record<string, string>>;
  /** In file order. */
  readonly steps: ReadonlyMap<string, Step>;
  /** States that exist but could not be read. */
  readonly unread: ReadonlySet<string>;
  /** Every string that names a state or contains a template or an expression. */
  readonly texts: readonly NotedText[];
}

/** A state that a step leads to, with the position of its name. */
export interface Lead {
  readonly to: string;
  readonly path: Path;
}

/** All next states of a step. Branches and loop bodies are not included. */
export function leadsOf({ common, own, kind, path }: Step): readonly Lead[] {
  const { on_success: onSuccess, on_failure: onFailure, transitions = [] } = common;
  const leads = transitions.flatMap(({ goto }, at) =>
    goto === undefined ? [] : [{ to: goto, path: [...path, 'transitions', at, 'goto'] }],
  );
  if (onSuccess !== undefined) leads.push({ to: onSuccess, path: [...path, 'on_success'] });
  if (typeof onFailure === 'string') leads.push({ to: onFailure, path: [...path, 'on_failure'] });
  if ((kind === 'for_each' || kind === 'while') && own.on_complete !== undefined) {
    leads.push({ to: own.on_complete, path: [...path, 'on_complete'] });
  }
  return leads;
}

/** States that run inside a step: branches, or the body of a loop. */
export function childrenOf(step: Step): readonly string[] {
  if (step.kind === 'parallel') return step.own.parallel ?? [];
  return step.kind === 'for_each' || step.kind === 'while' ? (step.own.body ?? []) : [];
}

/** Plugin and remainder of a dotted name, with short names resolved. */
export function splitDotted(
  dotted: string,
  plugins: Readonly<Record<string, string>>,
): { readonly plugin: string; readonly rest: string } | undefined {
  const dot = dotted.indexOf('.');
  if (dot <= 0 || dot === dotted.length - 1) return undefined;
  const alias = dotted.slice(0, dot);
  const plugin = Object.hasOwn(plugins, alias) ? (plugins[alias] ?? alias) : alias;
  return { plugin, rest: dotted.slice(dot + 1) };
}
