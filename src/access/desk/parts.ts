import type { Source, Spec, ToolSpec } from '../../kernel/index.js';
import type { Authority } from '../authority/index.js';
import type { CompiledModel, Conditions } from '../engine/index.js';
import type { Actor } from '../identity/index.js';
import type { AccessStore } from '../ports.js';
import type { Profiles } from '../profiles/index.js';

/** Everything there is, as the operator sees it. */
export interface DeskCatalogue {
  readonly specs: readonly Spec[];
  /** Providers that are configured but have never listed what they offer. */
  readonly unlisted: readonly Source[];
}

export interface DeskParts {
  readonly store: AccessStore;
  readonly zone: string;
  readonly authority: Pick<Authority, 'refresh' | 'revision' | 'judge' | 'explain' | 'replica'>;
  readonly model: CompiledModel;
  readonly conditions: Conditions;
  /** Names this very model. */
  readonly modelId: string;
  readonly profiles: () => Profiles;
  /** What the file of profiles names that fits none of these tools, one line each. */
  readonly profileWarnings: (tools: readonly ToolSpec[]) => readonly string[];
  /** What is known without starting anything. */
  readonly catalogue: () => Promise<DeskCatalogue>;
  /** The same after those were asked that have never listed. */
  readonly wholeCatalogue: () => Promise<DeskCatalogue>;
  readonly isBuiltin: (name: string) => boolean;
  readonly nearest: (word: string, known: readonly string[]) => string | undefined;
  readonly now: () => number;
  /** Brings in records that wait elsewhere for somebody who has the store open. */
  readonly gather: () => Promise<void>;
  /** Who works at the desk, for the record. */
  readonly by: Actor;
  /** `user:ana`: who may do everything at this machine without any grant. */
  readonly operator?: string;
}

/** Reads something in what is known; and only where it is not there, in what nobody was asked for yet. */
export async function lookUp<T>(
  parts: Pick<DeskParts, 'catalogue' | 'wholeCatalogue'>,
  read: (catalogue: DeskCatalogue) => T,
  isFound: (found: T, catalogue: DeskCatalogue) => boolean,
): Promise<{ readonly found: T; readonly catalogue: DeskCatalogue }> {
  const known = await parts.catalogue();
  const first = read(known);
  if (isFound(first, known) || known.unlisted.length === 0) return { found: first, catalogue: known };
  const catalogue = await parts.wholeCatalogue();
  return { found: read(catalogue), catalogue };
}

export function toolsOf(catalogue: DeskCatalogue): readonly ToolSpec[] {
  return everyToolOf(catalogue).filter(({ reach }) => reach === undefined);
}

/** With those that are part of the gate: they are there to be named, and nobody is told that he has them. */
export function everyToolOf({ specs }: DeskCatalogue): readonly ToolSpec[] {
  return specs.filter((spec) => spec.kind === 'tool');
}
