import { formatPrincipal, parsePrincipal } from '../object-ids.js';
import type { IsBuiltin } from './entry.js';
import { type Draft, flatten } from './flatten.js';
import type { PrincipalRule, PrincipalSource, Profile, Profiles, ProfileSource } from './profile.js';
import { createReading, most, type Nearest, quoted, type Reading } from './reading.js';
import { noProfile, shippedDefault, shippedProfiles } from './shipped.js';

export interface ResolveOptions {
  /** `none`: principals without a profile have no rights. Absent: the built-in default. */
  readonly defaultProfile?: string;
  readonly principals?: readonly PrincipalSource[];
  readonly isBuiltin: IsBuiltin;
  readonly nearest?: Nearest;
  /** The line of a path in the file. */
  readonly lineAt?: Profiles['lineAt'];
  /** Base profiles. Sources with the same name replace them. */
  readonly shipped?: readonly ProfileSource[];
}

const profileName = /^(?!\.{1,2}$|__proto__$|none$)[A-Za-z0-9_.-]{1,64}$/;

/** Flattens profiles and reports all problems at once. */
export function resolveProfiles(sources: readonly ProfileSource[], options: ResolveOptions): Profiles {
  const { principals = [], shipped = shippedProfiles, defaultProfile = shippedDefault } = options;
  const reading = createReading(options.isBuiltin, options.nearest);
  const profiles = flatten(draftsOf(sources, shipped, reading), reading);
  const rules = rulesOf(principals, profiles, reading);
  if (defaultProfile !== noProfile && !profiles.has(defaultProfile)) {
    const message = `Unknown profile ${quoted(defaultProfile)}.`;
    const remedy = reading.didYouMean(defaultProfile, profiles.keys());
    reading.report('profiles.unknown_default', ['default_profile'], message, remedy);
  }
  return Object.freeze({
    profiles,
    ...(profiles.has(defaultProfile) && { defaultProfile }),
    principals: rules,
    problems: reading.problems,
    lineAt: options.lineAt ?? (() => undefined),
  });
}

function draftsOf(
  sources: readonly ProfileSource[],
  shipped: readonly ProfileSource[],
  reading: Reading,
): ReadonlyMap<string, Draft> {
  const drafts = new Map<string, Draft>();
  if (sources.length > most.profiles)
    reading.report(
      'profiles.too_many',
      ['profiles'],
      `Too many profiles: the maximum is ${String(most.profiles)}.`,
    );
  for (const source of sources.slice(0, most.profiles)) {
    const path = ['profiles', source.name];
    if (!profileName.test(source.name))
      reading.report('profiles.bad_name', path, `${quoted(source.name)} is not a valid profile name.`);
    else if (drafts.has(source.name))
      reading.report('profiles.duplicate', path, `Duplicate profile ${source.name}.`);
    else drafts.set(source.name, draftOf(source, false, reading));
  }
  const others = shipped.filter(({ name }) => !drafts.has(name));
  return new Map([
    ...others.map((source) => [source.name, draftOf(source, true, reading)] as const),
    ...drafts,
  ]);
}

function draftOf(source: ProfileSource, isShipped: boolean, reading: Reading): Draft {
  const { name, tools, seeOnly = [] } = source;
  const own = [
    ...reading.entries(tools, 'call', ['profiles', name, 'tools']),
    ...reading.entries(seeOnly, 'see', ['profiles', name, 'see_only']),
  ];
  return { source, isShipped, own: own.map((entry) => ({ ...entry, from: name })) };
}

function rulesOf(
  sources: readonly PrincipalSource[],
  profiles: ReadonlyMap<string, Profile>,
  reading: Reading,
): readonly PrincipalRule[] {
  if (sources.length > most.principals)
    reading.report(
      'profiles.too_many',
      ['principals'],
      `Too many principals: the maximum is ${String(most.principals)}.`,
    );
  const seen = new Set<string>();
  return sources.slice(0, most.principals).flatMap((source) => {
    const rule = ruleOf(source, profiles, reading);
    if (rule === undefined) return [];
    const name = formatPrincipal(rule.principal);
    if (seen.has(name))
      reading.report('profiles.duplicate', ['principals', source.principal], `Duplicate principal ${name}.`);
    seen.add(name);
    return [rule];
  });
}

function ruleOf(
  source: PrincipalSource,
  profiles: ReadonlyMap<string, Profile>,
  reading: Reading,
): PrincipalRule | undefined {
  const { principal: text, profile, add = [], remove = [] } = source;
  const path = ['principals', text];
  const principal = parsePrincipal(text);
  if (profile !== undefined && !profiles.has(profile)) {
    const remedy = reading.didYouMean(profile, profiles.keys());
    reading.report(
      'profiles.unknown_profile',
      [...path, 'profile'],
      `Unknown profile ${quoted(profile)}.`,
      remedy,
    );
  }
  const added = reading.entries(add, 'call', [...path, 'add']);
  const removed = reading.entries(remove, 'call', [...path, 'remove']);
  for (const entry of [...added, ...removed].filter(({ effect }) => effect === 'block'))
    reading.report(
      'profiles.bad_entry',
      entry.path,
      `${quoted(entry.text)} starts with \`!\`, which is not allowed here.`,
    );
  if (principal === undefined) {
    reading.report('profiles.bad_principal', path, `${quoted(text)} is not a valid principal.`);
    return undefined;
  }
  return {
    principal,
    ...(profile !== undefined && { profile }),
    add: added,
    remove: removed.map((entry) => ({ ...entry, effect: 'block' as const })),
  };
}
