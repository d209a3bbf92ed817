import type { Source } from '../../kernel/index.js';
import type { PrincipalName } from '../object-ids.js';

/** A profile as its author wrote it. */
export interface ProfileSource {
  readonly name: string;
  readonly description?: string;
  readonly extends?: string | readonly string[];
  readonly tools: readonly string[];
  /** What may be seen but not called. */
  readonly seeOnly?: readonly string[];
  /** The line of its file; absent for those that are shipped. */
  readonly line?: number;
}

/** What a file of profiles says of one principal, as its author wrote it. */
export interface PrincipalSource {
  /** `agent:alice`. */
  readonly principal: string;
  readonly profile?: string;
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** What an entry is about. */
export type EntryTarget =
  | { readonly kind: 'tool'; readonly source: Source; readonly localName: string }
  | { readonly kind: 'provider'; readonly source: Source }
  | { readonly kind: 'tier'; readonly tier: number }
  /** Over display names; without a wildcard it fits one name. */
  | { readonly kind: 'glob'; readonly pattern: string };

export type EntryEffect = 'call' | 'see' | 'block';

/** One thing that is given or blocked. */
export interface Entry {
  /** As it was written, `!` included. */
  readonly text: string;
  readonly effect: EntryEffect;
  readonly target: EntryTarget;
  /** What stands for the target in tuples. */
  readonly object: string;
}

/** With its place in the file. */
export interface PlacedEntry extends Entry {
  readonly path: ProfilePath;
}

export interface ProfileEntry extends PlacedEntry {
  /** The profile that says it: this one, or the first of those that it extends. */
  readonly from: string;
}

/** A profile with all that it inherits. */
export interface Profile {
  readonly name: string;
  readonly description?: string;
  readonly parents: readonly string[];
  /** What is inherited first, its own last; nothing twice. */
  readonly entries: readonly ProfileEntry[];
  readonly isShipped: boolean;
  readonly line?: number;
}

export interface PrincipalRule {
  readonly principal: PrincipalName;
  readonly profile?: string;
  /** What it may call beyond its profile. */
  readonly add: readonly PlacedEntry[];
  /** What is blocked for it, wherever it would come from. */
  readonly remove: readonly PlacedEntry[];
}

/** Keys and list positions from the root of the file. */
export type ProfilePath = readonly (string | number)[];

export type ProfileProblemCode =
  | 'profiles.cycle'
  | 'profiles.unknown_parent'
  | 'profiles.duplicate'
  | 'profiles.unknown_default'
  | 'profiles.unknown_profile'
  | 'profiles.bad_name'
  | 'profiles.bad_entry'
  | 'profiles.bad_principal'
  | 'profiles.too_many'
  | 'profiles.unknown_tool';

export interface ProfileProblem {
  readonly code: ProfileProblemCode;
  readonly severity: 'error' | 'warning';
  readonly path: ProfilePath;
  readonly message: string;
  readonly remedy?: string;
}

/** All profiles of a gate. To be used only when no problem is an error. */
export interface Profiles {
  readonly profiles: ReadonlyMap<string, Profile>;
  /** What applies to a principal without a profile. Absent: nothing does. */
  readonly defaultProfile?: string;
  readonly principals: readonly PrincipalRule[];
  readonly problems: readonly ProfileProblem[];
  /** The line of what stands at a place of the file; undefined where nobody knows. */
  readonly lineAt: (path: ProfilePath) => number | undefined;
}
