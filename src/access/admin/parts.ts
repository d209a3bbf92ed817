import type { Source, Spec, ToolSpec } from '../../core/index.js';
import type { Authorizer } from '../authorizer/index.js';
import type { CompiledModel, Conditions } from '../engine/index.js';
import type { Actor } from '../tokens/index.js';
import type { AccessStore } from '../ports/index.js';
import type { Profiles } from '../profiles/index.js';

/** All definitions, as the operator sees them. */
export interface AdminCatalog {
  readonly specs: readonly Spec[];
  /** Configured providers that have never listed their tools. */
  readonly unlisted: readonly Source[];
}

export interface AdminParts {
  readonly store: AccessStore;
  readonly zone: string;
  readonly authorizer: Pick<Authorizer, 'refresh' | 'revision' | 'predicates' | 'explain' | 'replica'>;
  readonly model: CompiledModel;
  readonly conditions: Conditions;
  /** The id of the model. */
  readonly modelId: string;
  readonly profiles: () => Profiles;
  /** Entries of the profiles file that match none of these tools, one line each. */
  readonly profileWarnings: (tools: readonly ToolSpec[]) => readonly string[];
  /** What is known without starting servers. */
  readonly catalogue: () => Promise<AdminCatalog>;
  /** The same after asking the servers that have never listed. */
  readonly wholeCatalogue: () => Promise<AdminCatalog>;
  readonly isBuiltin: (name: string) => boolean;
  readonly nearest: (word: string, known: readonly string[]) => string | undefined;
  readonly now: () => number;
  /** Imports audit records that other processes left for a process with an open store. */
  readonly gather: () => Promise<void>;
  /** The acting principal, for the audit log. */
  readonly by: Actor;
  /** Checked at the revision that a change is written to; absent for the operator. */
  readonly isStillAllowed?: () => boolean | Promise<boolean>;
  /** The operator (`user:ana`), who may do everything on this machine without grants. */
  readonly operator?: string;
}

/** Looks in what is known first, and asks servers that have not listed only if nothing is found. */
export async function lookUp<T>(
  parts: Pick<AdminParts, 'catalogue' | 'wholeCatalogue'>,
  read: (catalogue: AdminCatalog) => T,
  isFound: (found: T, catalogue: AdminCatalog) => boolean,
): Promise<{ readonly found: T; readonly catalogue: AdminCatalog }> {
  const known = await parts.catalogue();
  const first = read(known);
  if (isFound(first, known) || known.unlisted.length === 0) return { found: first, catalogue: known };
  const catalogue = await parts.wholeCatalogue();
  return { found: read(catalogue), catalogue };
}

export function toolsOf(catalogue: AdminCatalog): readonly ToolSpec[] {
  return everyToolOf(catalogue).filter(({ reach }) => reach === undefined);
}

/** Includes the gateway's own tools: they can be named, but are not reported as granted. */
export function everyToolOf({ specs }: AdminCatalog): readonly ToolSpec[] {
  return specs.filter((spec) => spec.kind === 'tool');
}
