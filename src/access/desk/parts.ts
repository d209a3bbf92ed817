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
  /** Asked only by operations that speak of tools. */
  readonly catalogue: () => Promise<DeskCatalogue>;
  readonly isBuiltin: (name: string) => boolean;
  readonly nearest: (word: string, known: readonly string[]) => string | undefined;
  readonly now: () => number;
  /** Who works at the desk, for the record. */
  readonly by: Actor;
  /** `user:ana`: who may do everything at this machine without any grant. */
  readonly operator?: string;
}

export function toolsOf({ specs }: DeskCatalogue): readonly ToolSpec[] {
  return specs.filter((spec) => spec.kind === 'tool');
}
