import type { Source } from '../../core/index.js';
import type { PrincipalName } from '../object-ids.js';

/** A profile as written in the file. */
export interface ProfileSource {
  readonly name: string;
  readonly description?: string;
  readonly extends?: string | readonly string[];
  readonly tools: readonly string[];
  /** Tools that may be seen but not called. */
  readonly seeOnly?: readonly string[];
  /** The line in its file; absent for built-in profiles. */
  readonly line?: number;
}

/** The settings of one principal in a profiles file, as written. */
export interface PrincipalSource {
  /** `agent:alice`. */
  readonly principal: string;
  readonly profile?: string;
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

/** The target of an entry. */
export type EntryTarget =
  | { readonly kind: 'tool'; readonly source: Source; readonly localName: string }
  | { readonly kind: 'provider'; readonly source: Source }
  | { readonly kind: 'tier'; readonly tier: number }
  /** Matches display names; without a wildcard, one name. */
  | { readonly kind: 'glob'; readonly pattern: string };

export type EntryEffect = 'call' | 'see' | 'block';

/** One target that is granted or blocked. */
export interface Entry {
  /** As written, including `!`. */
  readonly text: string;
  readonly effect: EntryEffect;
  readonly target: EntryTarget;
  /** The target as a tuple object. */
  readonly object: string;
}

/** An entry with its position in the file. */
export interface PlacedEntry extends Entry {
  readonly path: ProfilePath;
}

export interface ProfileEntry extends PlacedEntry {
  /** The profile that contains it: this one, or the first one it extends. */
  readonly from: string;
}

/** A profile with its inherited entries. */
export interface Profile {
  readonly name: string;
  readonly description?: string;
  readonly parents: readonly string[];
  /** Inherited entries first, its own last; no duplicates. */
  readonly entries: readonly ProfileEntry[];
  readonly isShipped: boolean;
  readonly line?: number;
}

export interface PrincipalRule {
  readonly principal: PrincipalName;
  readonly profile?: string;
  /** Tools it may call in addition to its profile. */
  readonly add: readonly PlacedEntry[];
  /** Tools that are blocked for it, whatever grants them. */
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

/** All profiles. Use them only if no problem is an error. */
export interface Profiles {
  readonly profiles: ReadonlyMap<string, Profile>;
  /** The profile of principals without one. Absent: none. */
  readonly defaultProfile?: string;
  readonly principals: readonly PrincipalRule[];
  readonly problems: readonly ProfileProblem[];
  /** The line of a path in the file; undefined if unknown. */
  readonly lineAt: (path: ProfilePath) => number | undefined;
}
