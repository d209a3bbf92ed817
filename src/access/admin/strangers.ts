import { describeObject, formatPrincipal, parsePrincipal, roleObject } from '../object-ids.js';
import type { AdminParts } from './parts.js';
import { type Receiver, roleOf } from './receiver.js';

type Known = Pick<AdminParts, 'authorizer' | 'profiles' | 'operator' | 'nearest' | 'store' | 'zone'>;

/** Above this number, searching for a similar name takes too long. */
const maxKnown = 20_000;

/**
 * Any principal name is allowed, but a new name that is similar to an existing one is most likely a typo. Call it before
 * writing.
 */
export async function strangerNotes(
  parts: Known,
  { text, user, kind }: Receiver,
): Promise<readonly string[]> {
  if (kind === 'everybody' || parts.authorizer.replica.tuples.byUser(user).length > 0) return [];
  return slip(parts, text, kind === 'role' ? rolesIn(parts) : await principalsIn(parts));
}

/** The same for the role in a membership. */
export function strangeRoleNotes(parts: Known, what: string | undefined): readonly string[] {
  return what === undefined || roleOf(what) === undefined ? [] : slip(parts, what, rolesIn(parts));
}

function slip({ nearest }: Known, text: string, known: ReadonlySet<string>): readonly string[] {
  if (known.has(text)) return [];
  const kind = text.slice(0, text.indexOf(':') + 1);
  // Names that differ only in a number are usually intended.
  const others = [...known]
    .slice(0, maxKnown)
    .filter((name) => name.startsWith(kind) && unnumbered(name) !== unnumbered(text))
    .map((name) => name.slice(kind.length));
  const near = nearest(text.slice(kind.length), others);
  return near === undefined ? [] : [`${text} has not been used before. Did you mean ${kind}${near}?`];
}

function unnumbered(name: string): string {
  return name.replace(/\d+/g, '#');
}

function rolesIn({ authorizer }: Known): ReadonlySet<string> {
  const words = authorizer.replica.tuples
    .all()
    .flatMap(({ user, object }) => [user.replace(/#member$/, ''), object])
    .filter((word) => word.startsWith(roleObject('')));
  return new Set(words.map(describeObject));
}

async function principalsIn({
  authorizer,
  profiles,
  operator,
  store,
  zone,
}: Known): Promise<ReadonlySet<string>> {
  const inTuples = authorizer.replica.tuples
    .all()
    .map(({ user }) => describeObject(user))
    .filter((word) => parsePrincipal(word) !== undefined);
  const inFile = profiles().principals.map(({ principal }) => formatPrincipal(principal));
  const ofTokens = (await store.tokens(zone)).map(({ principal }) => principal);
  return new Set([...inTuples, ...inFile, ...ofTokens, ...(operator === undefined ? [] : [operator])]);
}
