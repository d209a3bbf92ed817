import { existsSync } from 'node:fs';
import { describeObject, formatPrincipal } from '../../access/index.js';
import { type AccessStore, StoreError } from '../../access/ports/index.js';
import type { Profiles } from '../../access/profiles/index.js';
import { type Config, hasErrors, type Trust } from '../../config/index.js';
import type { ProfilesPlace } from '../locate-profiles.js';
import { openAccessStore } from '../open-store.js';
import { storeFile } from '../store-file.js';

export interface ForgottenPart {
  /** The affected principals. */
  readonly who: string;
  readonly before: string;
  readonly after: string;
}

/** The effect of no longer trusting policy files. */
export interface ForgottenPolicy {
  /** False if the file changed since it was trusted, so its trusted content is unknown. */
  readonly isKnown: boolean;
  readonly changes: readonly ForgottenPart[];
  /** Whether profile assignments could be read from the store. */
  readonly hasHolders: boolean;
}

export interface ForgettingPlace extends ProfilesPlace {
  readonly store: Config['store'];
  readonly stateDirectory: string;
}

/** Call it before the trust of the files is removed. */
export async function policyForgotten(
  place: ForgettingPlace,
  files: readonly string[],
): Promise<ForgottenPolicy> {
  const { locateProfiles } = await import('../locate-profiles.js');
  const before = await locateProfiles(place);
  const after = await locateProfiles({ ...place, trust: without(place.trust, files) });
  const isKnown = !hasErrors(before.problems) && before.files.some(({ file }) => files.includes(file));
  if (!isKnown) return { isKnown, changes: [], hasHolders: false };
  const holders = await holdersOf(place);
  return {
    isKnown,
    changes: [
      ...changedDefault(before.profiles, after.profiles),
      ...changedProfiles(before.profiles, after.profiles, holders ?? new Map()),
      ...changedPrincipals(before.profiles, after.profiles, holders ?? new Map()),
    ],
    hasHolders: holders !== undefined,
  };
}

function without(trust: Trust, files: readonly string[]): Trust {
  return {
    ...trust,
    isTrusted: (file, sha256) => !files.includes(file) && trust.isTrusted(file, sha256),
    list: () => trust.list().filter(({ file }) => !files.includes(file)),
  };
}

/** Maps a profile to its assignees. */
type Holders = ReadonlyMap<string, readonly string[]>;

const nothing = 'nothing';

function changedDefault(before: Profiles, after: Profiles): readonly ForgottenPart[] {
  const [was, is] = [before, after].map(({ defaultProfile }) => defaultProfile ?? nothing);
  if (was === undefined || is === undefined || was === is) return [];
  return [{ who: 'principals without a profile', before: was, after: is }];
}

function changedProfiles(before: Profiles, after: Profiles, holders: Holders): readonly ForgottenPart[] {
  return [...before.profiles.values()]
    .filter(({ isShipped }) => !isShipped)
    .filter(({ name }) => after.profiles.get(name)?.isShipped !== false)
    .map(({ name }) => ({
      who: (holders.get(name) ?? [`principals with the profile ${name}`]).join(', '),
      before: name,
      after: after.profiles.has(name)
        ? `the built-in profile ${name}`
        : `${nothing}: the profile no longer exists`,
    }));
}

function changedPrincipals(before: Profiles, after: Profiles, holders: Holders): readonly ForgottenPart[] {
  const assigned = new Set([...holders.values()].flat());
  return before.principals
    .filter((rule) => !after.principals.includes(rule))
    .map(({ principal, profile, add, remove }) => {
      const who = formatPrincipal(principal);
      const parts = [
        ...(profile === undefined || assigned.has(who) ? [] : [profile]),
        ...add.map(({ text }) => `+${text}`),
        ...remove.map(({ text }) => `-${text}`),
      ];
      const fallback = profile === undefined ? 'only its profile' : (after.defaultProfile ?? nothing);
      return {
        who,
        before: parts.join(' '),
        after: assigned.has(who) ? 'only its assigned profile' : fallback,
      };
    })
    .filter(({ before: parts }) => parts !== '');
}

/** Undefined if there is no persistent store or it does not respond; that must not block the command. */
async function holdersOf({ store, stateDirectory, access }: ForgettingPlace): Promise<Holders | undefined> {
  if (store.kind === 'memory') return undefined;
  if (store.kind === 'sqlite' && !existsSync(storeFile(store, stateDirectory))) return new Map();
  let opened: AccessStore | undefined;
  try {
    opened = await openAccessStore(store, stateDirectory, () => undefined);
    const grants = await opened.grants(access.zone, { relation: 'assignee', objectType: 'profile' });
    const holders = new Map<string, readonly string[]>();
    for (const { user, object } of grants) {
      const profile = object.slice('profile:'.length);
      const who = describeObject(user).replace(/#member$/, '');
      holders.set(profile, [...(holders.get(profile) ?? []), who]);
    }
    return holders;
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  } finally {
    await opened?.close();
  }
}
