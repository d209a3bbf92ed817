import { profileObject } from '../object-ids.js';
import { noProfile } from '../profiles/index.js';
import { type Changed, changed } from './changed.js';
import { AdminError } from './admin-error.js';
import type { AdminParts } from './parts.js';
import { findProfile } from './profiles.js';
import { readReceiver, type Receiver } from './receiver.js';
import { strangerNotes } from './strangers.js';
import { fresh } from './write.js';

export interface Assigned extends Changed {
  readonly principal: string;
  /** Absent if no profile is assigned now. */
  readonly profile?: string;
  /** The previously assigned profiles. */
  readonly replaced: readonly string[];
}

/** Assigns a profile to a principal or role, replacing any other; `none` removes it. */
export async function profileAssign(
  parts: AdminParts,
  principal: string,
  profile: string,
): Promise<Assigned> {
  const receiver = readReceiver(principal, parts);
  if (receiver.kind === 'everybody') {
    const message =
      "You can't assign a profile to everybody. Use default_profile in the profiles file instead.";
    throw new AdminError('access.bad_principal', message, 'set default_profile in .tidegate/profiles.yaml');
  }
  const object = profile === noProfile ? undefined : profileObject(findProfile(parts, profile).name);
  const { user } = receiver;
  await fresh(parts);
  const strange = await strangerNotes(parts, receiver);
  const assignment = object === undefined ? [] : [{ user, relation: 'assignee', object }];
  const done = await changed(
    parts,
    receiver,
    () => ({
      removeMatching: [{ user, relation: 'assignee', objectType: 'profile' }],
      add: assignment,
    }),
    { action: 'profile.assign', target: principal, detail: { profile } },
  );
  return {
    principal,
    ...(object !== undefined && { profile }),
    replaced: done.removed.map((tuple) => tuple.object.slice('profile:'.length)),
    ...done,
    notes: [...strange, ...notesOf(parts, receiver, object)],
  };
}

function notesOf(
  parts: AdminParts,
  { delegation, text }: Receiver,
  object: string | undefined,
): readonly string[] {
  if (delegation === undefined) return [];
  const { assigned, byDefault } = parts.authorizer.predicates().profilesOf(delegation);
  if (byDefault !== undefined)
    return [`${text} has no assigned profile, so the default profile ${byDefault} applies.`];
  const others = assigned.filter((name) => profileObject(name) !== object);
  if (others.length > 0) return [`${text} also has these profiles through roles: ${others.join(', ')}.`];
  return object === undefined ? [`${text} has no profile now.`] : [];
}
