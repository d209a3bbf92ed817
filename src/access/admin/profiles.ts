import type { ToolSpec } from '../../core/index.js';
import type { Profile, ProfileEntry } from '../profiles/index.js';
import { AdminError } from './admin-error.js';
import { type AdminParts, toolsOf } from './parts.js';
import { byCodeUnit, reachOfProfile } from './reach.js';
import { quoted } from './receiver.js';
import { toolsFor } from './target.js';
import { fresh } from './write.js';

export interface ProfileRow {
  readonly name: string;
  readonly description?: string;
  readonly parents: readonly string[];
  /** How many of the current tools it allows to call. */
  readonly tools: number;
  readonly isDefault: boolean;
  readonly source: 'shipped' | 'file';
}

export interface ProfileList {
  readonly profiles: readonly ProfileRow[];
  /** The profile of principals without one. */
  readonly defaultProfile?: string;
  /** Entries of the file that match no tool, each with its position. */
  readonly warnings: readonly string[];
  /** Servers whose tools are not known yet. The warnings may be about their tools. */
  readonly unlisted: readonly string[];
}

export interface EntryView {
  /** As written in the file. */
  readonly entry: string;
  readonly effect: ProfileEntry['effect'];
  /** The profile that contains it. */
  readonly from: string;
  readonly isOwn: boolean;
  /** The tools it matches now; empty if unknown or not added yet. */
  readonly tools: readonly string[];
}

export interface ProfileView extends ProfileRow {
  readonly entries: readonly EntryView[];
  /** Entries that match no tool. */
  readonly unknown: readonly string[];
  readonly see: readonly string[];
  readonly call: readonly string[];
  readonly line?: number;
}

export async function profileList(parts: AdminParts): Promise<ProfileList> {
  await fresh(parts);
  const catalogue = await parts.catalogue();
  const tools = toolsOf(catalogue);
  const { profiles, defaultProfile } = parts.profiles();
  const rows = [...profiles.values()].map((profile) => rowOf(parts, profile, tools));
  return {
    profiles: rows,
    ...(defaultProfile !== undefined && { defaultProfile }),
    warnings: parts.profileWarnings(tools),
    unlisted: catalogue.unlisted,
  };
}

/** With `resolved`, includes inherited entries. */
export async function profileShow(
  parts: AdminParts,
  name: string,
  { resolved = false }: { readonly resolved?: boolean } = {},
): Promise<ProfileView> {
  await fresh(parts);
  const profile = findProfile(parts, name);
  const tools = toolsOf(await parts.catalogue());
  const views = profile.entries.map((entry): EntryView => {
    const names = toolsFor(entry.target, tools)
      .map((tool) => tool.name)
      .sort(byCodeUnit);
    const isOwn = entry.from === name;
    return { entry: entry.text, effect: entry.effect, from: entry.from, isOwn, tools: names };
  });
  const { see, call } = reachOfProfile(parts.authorizer.predicates(), name, tools);
  return {
    ...rowOf(parts, profile, tools),
    ...(profile.line !== undefined && { line: profile.line }),
    entries: resolved ? views : views.filter(({ isOwn }) => isOwn),
    unknown: views.filter((view) => view.tools.length === 0).map(({ entry }) => entry),
    see,
    call,
  };
}

export function findProfile(parts: Pick<AdminParts, 'profiles' | 'nearest'>, name: string): Profile {
  const { profiles } = parts.profiles();
  const profile = profiles.get(name);
  if (profile !== undefined) return profile;
  const near = parts.nearest(name, [...profiles.keys()]);
  const hint = near === undefined ? '' : ` Did you mean ${quoted(near)}?`;
  throw new AdminError('access.unknown_profile', `Unknown profile ${quoted(name)}.${hint}`);
}

function rowOf(parts: AdminParts, profile: Profile, tools: readonly ToolSpec[]): ProfileRow {
  const { name, description, parents, isShipped } = profile;
  return {
    name,
    ...(description !== undefined && { description }),
    parents,
    tools: reachOfProfile(parts.authorizer.predicates(), name, tools).call.length,
    isDefault: parts.profiles().defaultProfile === name,
    source: isShipped ? 'shipped' : 'file',
  };
}
