import { existsSync } from 'node:fs';
import { describeObject, formatPrincipal } from '../access/object-ids.js';
import { type AccessStore, StoreError } from '../access/ports.js';
import type { Profiles } from '../access/profiles/index.js';
import { type Config, hasErrors, type Trust } from '../config/index.js';
import type { ProfilesPlace } from './locate-profiles.js';
import { openAccessStore, storeFile } from './open-store.js';

export interface ForgottenPart {
  /** Whom it changes something for. */
  readonly who: string;
  readonly before: string;
  readonly after: string;
}

/** What it changes that files of policy are no longer trusted. */
export interface ForgottenPolicy {
  /** False: the file is not what was trusted any more, and nobody can say what that was. */
  readonly isKnown: boolean;
  readonly changes: readonly ForgottenPart[];
  /** Whether it was looked up who has which profile. */
  readonly hasHolders: boolean;
}

export interface ForgettingPlace extends ProfilesPlace {
  readonly store: Config['store'];
  readonly stateDirectory: string;
}

/** To be asked before the files are forgotten. */
export async function policyForgotten(
  place: ForgettingPlace,
  files: readonly string[],
): Promise<ForgottenPolicy> {
  const { locateProfiles } = await import('./locate-profiles.js');
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

/** From a profile to those whom it was assigned to. */
type Holders = ReadonlyMap<string, readonly string[]>;

const nothing = 'nothing';

function changedDefault(before: Profiles, after: Profiles): readonly ForgottenPart[] {
  const [was, is] = [before, after].map(({ defaultProfile }) => defaultProfile ?? nothing);
  if (was === undefined || is === undefined || was === is) return [];
  return [{ who: 'whoever has no profile', before: was, after: is }];
}

function changedProfiles(before: Profiles, after: Profiles, holders: Holders): readonly ForgottenPart[] {
  return [...before.profiles.values()]
    .filter(({ isShipped }) => !isShipped)
    .filter(({ name }) => after.profiles.get(name)?.isShipped !== false)
    .map(({ name }) => ({
      who: (holders.get(name) ?? [`whoever has the profile ${name}`]).join(', '),
      before: name,
      after: after.profiles.has(name) ? `${name} as it is shipped` : `${nothing}: there is no such profile`,
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
      const fallback = profile === undefined ? 'its profile alone' : (after.defaultProfile ?? nothing);
      return {
        who,
        before: parts.join(' '),
        after: assigned.has(who) ? 'what is assigned to it, alone' : fallback,
      };
    })
    .filter(({ before: parts }) => parts !== '');
}

/** Undefined where nothing is kept, or the store does not answer: that must keep nobody from forgetting. */
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
