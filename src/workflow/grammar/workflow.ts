import type { Path } from '../../kernel/index.js';
import type { ValuesOf } from '../fields/field.js';
import type { NotedText } from '../fields/read.js';
import type { commonFields, inputFields, StepKind, stepFields, workflowFields } from '../fields/tables.js';
import type { Source } from '../finding.js';

/** A step as its file says it: `common` has the keys that every step has, `own` those of its kind. */
export interface StepOf<Kind extends StepKind> {
  readonly kind: Kind;
  readonly name: string;
  readonly source: Source;
  readonly path: Path;
  readonly offset: number;
  /** As written: `step` and `command` are the same kind, and plugins bring types of their own. */
  readonly type: string;
  readonly common: ValuesOf<typeof commonFields>;
  readonly own: ValuesOf<(typeof stepFields)[Kind]>;
}

export type Step = { [Kind in StepKind]: StepOf<Kind> }[StepKind];

export type Input = ValuesOf<typeof inputFields> & {
  readonly name: string;
  /** Which of the list it is, counted from 0. */
  readonly at: number;
};
export type Hooks = NonNullable<ValuesOf<typeof workflowFields>['hooks']>;
export type HookActions = NonNullable<Hooks['workflow_start']>;

export interface Output {
  readonly name: string;
  readonly from: string;
}

/** A workflow as read. With errors among its findings it must not be run. */
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
  /** In the order of the file. */
  readonly steps: ReadonlyMap<string, Step>;
  /** States that are there and could not be read. */
  readonly unread: ReadonlySet<string>;
  /** Every text that names or contains something to be followed. */
  readonly texts: readonly NotedText[];
}

/** The states that a step leads to by name, with the place of each name. */
export interface Lead {
  readonly to: string;
  readonly path: Path;
}

/** Where a step may lead when it is over. Branches and bodies are not meant. */
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

/** The states that run inside of a step: branches, or the body of a loop. */
export function childrenOf(step: Step): readonly string[] {
  if (step.kind === 'parallel') return step.own.parallel ?? [];
  return step.kind === 'for_each' || step.kind === 'while' ? (step.own.body ?? []) : [];
}

/** The plugin and the rest of a dotted name, after short names. */
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
