import { describeObject, formatPrincipal, parsePrincipal, roleObject } from '../object-ids.js';
import type { DeskParts } from './parts.js';
import { type Receiver, roleOf } from './receiver.js';

type Known = Pick<DeskParts, 'authority' | 'profiles' | 'operator' | 'nearest' | 'store' | 'zone'>;

/** Past this many it takes longer to look for a near name than a person wants to wait. */
const maxKnown = 20_000;

/**
 * Anybody may be given rights, so nobody is wrong. But a name that nobody has used yet and that is nearly one that is in use is
 * most likely a slip. To be asked before anything is written.
 */
export async function strangerNotes(
  parts: Known,
  { text, user, kind }: Receiver,
): Promise<readonly string[]> {
  if (kind === 'everybody' || parts.authority.replica.tuples.byUser(user).length > 0) return [];
  return slip(parts, text, kind === 'role' ? rolesIn(parts) : await principalsIn(parts));
}

/** The same for a role that somebody is put into. */
export function strangeRoleNotes(parts: Known, what: string | undefined): readonly string[] {
  return what === undefined || roleOf(what) === undefined ? [] : slip(parts, what, rolesIn(parts));
}

function slip({ nearest }: Known, text: string, known: ReadonlySet<string>): readonly string[] {
  if (known.has(text)) return [];
  const kind = text.slice(0, text.indexOf(':') + 1);
  // Names that differ in a number only are most likely meant to.
  const others = [...known]
    .slice(0, maxKnown)
    .filter((name) => name.startsWith(kind) && unnumbered(name) !== unnumbered(text))
    .map((name) => name.slice(kind.length));
  const near = nearest(text.slice(kind.length), others);
  return near === undefined ? [] : [`Nothing was known of ${text} before. Did you mean ${kind}${near}?`];
}

function unnumbered(name: string): string {
  return name.replace(/\d+/g, '#');
}

function rolesIn({ authority }: Known): ReadonlySet<string> {
  const words = authority.replica.tuples
    .all()
    .flatMap(({ user, object }) => [user.replace(/#member$/, ''), object])
    .filter((word) => word.startsWith(roleObject('')));
  return new Set(words.map(describeObject));
}

async function principalsIn({
  authority,
  profiles,
  operator,
  store,
  zone,
}: Known): Promise<ReadonlySet<string>> {
  const inTuples = authority.replica.tuples
    .all()
    .map(({ user }) => describeObject(user))
    .filter((word) => parsePrincipal(word) !== undefined);
  const inFile = profiles().principals.map(({ principal }) => formatPrincipal(principal));
  const ofTokens = (await store.tokens(zone)).map(({ principal }) => principal);
  return new Set([...inTuples, ...inFile, ...ofTokens, ...(operator === undefined ? [] : [operator])]);
}
