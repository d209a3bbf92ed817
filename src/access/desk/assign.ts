import { profileObject } from '../object-ids.js';
import { noProfile } from '../profiles/index.js';
import { type Changed, changed } from './changed.js';
import { DeskError } from './desk-error.js';
import type { DeskParts } from './parts.js';
import { findProfile } from './profiles.js';
import { readReceiver, type Receiver } from './receiver.js';
import { strangerNotes } from './strangers.js';
import { fresh } from './write.js';

export interface Assigned extends Changed {
  readonly principal: string;
  /** Absent: it has none of its own any more. */
  readonly profile?: string;
  /** The profiles that it had before. */
  readonly replaced: readonly string[];
}

/** Gives a principal or a role one profile in place of whichever it had; `none` takes it away. */
export async function profileAssign(parts: DeskParts, principal: string, profile: string): Promise<Assigned> {
  const receiver = readReceiver(principal, parts);
  if (receiver.kind === 'everybody') {
    const message = 'A profile for everybody is the default profile, which stands in the file of profiles.';
    throw new DeskError('access.bad_principal', message, 'set default_profile in .tidegate/profiles.yaml');
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

function notesOf(parts: DeskParts, { link, text }: Receiver, object: string | undefined): readonly string[] {
  if (link === undefined) return [];
  const { assigned, byDefault } = parts.authority.judge().profilesOf(link);
  if (byDefault !== undefined) return [`Without one of its own, ${text} has the profile ${byDefault}.`];
  const others = assigned.filter((name) => profileObject(name) !== object);
  if (others.length > 0) return [`${text} has more profiles, through roles: ${others.join(', ')}.`];
  return object === undefined ? [`No profile applies to ${text} now.`] : [];
}
