import type { Link } from '../../kernel/index.js';
import { parsePrincipal, principalObject, roleObject } from '../object-ids.js';
import { DeskError } from './desk-error.js';

/** Who is given something, as people and as tuples write it. */
export interface Receiver {
  readonly kind: 'principal' | 'role' | 'everybody';
  readonly text: string;
  /** As it stands in tuples: `principal:agent/alice`, `role:dev#member`, `principal:*`. */
  readonly user: string;
  /** Only of a principal: its own rights, and no more. */
  readonly link?: Link;
}

const roleShape = /^role:(?!\.{1,2}$)([\w.-]{1,64})$/;

export function readReceiver(text: string, zone: string): Receiver {
  const role = roleOf(text);
  if (role !== undefined) return { kind: 'role', text, user: `${roleObject(role)}#member` };
  if (text === 'everybody') return { kind: 'everybody', text, user: 'principal:*' };
  const { link, user } = readPrincipal(text, zone);
  return { kind: 'principal', text, user, link };
}

/** Where only one who can call will do. */
export function readPrincipal(text: string, zone: string): Receiver & { readonly link: Link } {
  const name = parsePrincipal(text);
  if (name === undefined) throw badPrincipal(text);
  const link: Link = { principal: { ...name, zone }, rights: 'own' };
  return { kind: 'principal', text, user: principalObject(name), link };
}

/** The name in `role:dev`; undefined for anything else. */
export function roleOf(text: string): string | undefined {
  return roleShape.exec(text)?.[1];
}

function badPrincipal(text: string): DeskError {
  const message = `${quoted(text)} names nobody: write agent:alice, user:ana or service:ci.`;
  // Where somebody forgot the kind, the likeliest one is offered.
  const likely = parsePrincipal(`agent:${text}`) === undefined ? undefined : `agent:${text}`;
  return new DeskError('access.bad_principal', message, likely && `did you mean ${likely}?`);
}

/** Text of somebody else inside a message. */
export function quoted(text: string): string {
  if (/\btgt?_/.test(text)) return '"…"';
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
