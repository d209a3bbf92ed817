import type { FoundServer } from '../../clients/index.js';
import { referencesIn } from './hide-secrets.js';

/** A secret of a server from an earlier import, with the name it was given then. */
export interface Claim {
  /** The server name in tidegate.yaml. */
  readonly as: string;
  readonly found: FoundServer;
  readonly name: string;
  readonly value: string;
}

export interface NamesInUse {
  /** The servers of tidegate.yaml, by name. */
  readonly known: Readonly<Record<string, unknown>>;
  /** Variables used elsewhere in tidegate.yaml. */
  readonly elsewhere: readonly string[];
  readonly found: readonly FoundServer[];
}

/**
 * Whether a value may be saved under the claimed name. Every other user of the name would receive the value, so only
 * servers that already had the same plain-text value may share it.
 */
export function createOwnership(
  { known, elsewhere, found }: NamesInUse,
  claims: readonly Claim[],
): (claim: Claim) => boolean {
  const users = Object.entries(known).map(([as, entry]) => ({ as, names: namesIn(entry) }));
  const askers = found.map((one) => ({ one, names: namesIn(one.server?.start) }));
  return (claim) => {
    const { name, value } = claim;
    const shares = (as: string): boolean =>
      as === claim.as || claims.some((one) => one.as === as && one.name === name && one.value === value);
    return (
      !elsewhere.includes(name) &&
      users.every(({ as, names }) => !names.has(name) || shares(as)) &&
      askers.every(({ one, names }) => !names.has(name) || one === claim.found)
    );
  };
}

function namesIn(value: unknown): ReadonlySet<string> {
  return new Set(referencesIn(JSON.stringify(value ?? '')));
}
