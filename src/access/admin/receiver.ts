import type { Delegation } from '../../core/index.js';
import { parsePrincipal, principalObject, roleObject } from '../object-ids.js';
import { AdminError } from './admin-error.js';
import type { AdminParts } from './parts.js';

/** The receiver of a grant, in readable form and as a tuple user. */
export interface Receiver {
  readonly kind: 'principal' | 'role' | 'everybody';
  readonly text: string;
  /** In tuples: `principal:agent/alice`, `role:dev#member`, `principal:*`. */
  readonly user: string;
  /** For principals only: a link with its own rights. */
  readonly delegation?: Delegation;
}

const roleShape = /^role:(?!\.{1,2}$)([\w.-]{1,64})$/;

/** Common ways to write "everybody". */
const everybodyWords =
  /^(?:everyone|anybody|anyone|all|any|public|\*|(?:agents?|users?|services?|principals?|roles?):\*)$/i;

type Place = Pick<AdminParts, 'zone' | 'nearest'>;

export function readReceiver(text: string, place: Place): Receiver {
  const role = roleOf(text);
  if (role !== undefined) return { kind: 'role', text, user: `${roleObject(role)}#member` };
  if (text === 'everybody') return { kind: 'everybody', text, user: 'principal:*' };
  if (everybodyWords.test(text)) {
    const message = `${quoted(text)} is not a valid principal. Use everybody for all principals, or agent:alice for one.`;
    throw new AdminError('access.bad_principal', message, 'did you mean everybody?');
  }
  const { delegation, user } = readPrincipal(text, place, [...kinds, 'role']);
  return { kind: 'principal', text, user, delegation };
}

/** Reads a principal; roles and everybody are refused. */
export function readPrincipal(
  text: string,
  { zone, nearest }: Place,
  taken: readonly string[] = kinds,
): Receiver & { readonly delegation: Delegation } {
  const name = parsePrincipal(text);
  if (name === undefined) throw badPrincipal(text, nearest, taken);
  const delegation: Delegation = { principal: { ...name, zone }, rights: 'own' };
  return { kind: 'principal', text, user: principalObject(name), delegation };
}

/** The name in `role:dev`; undefined for anything else. */
export function roleOf(text: string): string | undefined {
  return roleShape.exec(text)?.[1];
}

const kinds: readonly string[] = ['agent', 'user', 'service'];

function badPrincipal(text: string, nearest: AdminParts['nearest'], taken: readonly string[]): AdminError {
  const likely = likelyOf(text, nearest, taken);
  if (roleOf(text) !== undefined || text === 'everybody') {
    const message = `${quoted(text)} is not a principal. Ask about a principal such as agent:alice.`;
    return new AdminError('access.bad_principal', message, `tidegate profile inspect ${text}`);
  }
  const message = `${quoted(text)} is not a valid principal. Use agent:alice, user:ana or service:ci.`;
  return new AdminError('access.bad_principal', message, likely && `did you mean ${likely}?`);
}

/** Suggests the nearest kind for a typo, and `agent` if the kind is missing. */
function likelyOf(
  text: string,
  nearest: AdminParts['nearest'],
  taken: readonly string[],
): string | undefined {
  const [kind = '', ...rest] = text.split(':');
  const near = rest.length === 0 ? 'agent' : nearest(kind, taken);
  const likely = near === undefined ? '' : `${near}:${rest.length === 0 ? text : rest.join(':')}`;
  return parsePrincipal(likely) === undefined && roleOf(likely) === undefined ? undefined : likely;
}

/** Quotes untrusted text for a message. */
export function quoted(text: string): string {
  if (/\btgt?_/.test(text)) return '"…"';
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
