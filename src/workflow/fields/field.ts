import type * as table from '../../lib/schema-table/field.js';

/** What a string contains, which decides how it is checked. */
export type Holds = 'template' | 'expression' | 'state' | 'command';

interface WorkflowWords extends table.Words {
  readonly format: never;
  readonly names: never;
  readonly holds: Holds;
  readonly risk: never;
}

export type Field = table.Field<WorkflowWords>;
export type Fields = table.Fields<WorkflowWords>;

/** Every member is optional: a missing required key has already been reported. */
export type ValuesOf<Of> = table.ValuesOf<Of, 'partial'>;
