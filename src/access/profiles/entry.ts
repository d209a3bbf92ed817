import type { Source } from '../../core/index.js';
import { groupOfGlob, groupOfTier, providerObject, toolObject } from '../object-ids.js';
import type { Entry, EntryTarget } from './profile.js';

/** Why an entry is invalid, as the end of the sentence "<text> …". */
export interface Flaw {
  readonly kind: 'flaw';
  readonly says: string;
}

/** Whether a built-in tool has this name: then only that tool is meant, even if another takes the name. */
export type IsBuiltin = (name: string) => boolean;

const longest = 256;
const ours = /^(builtin|workspace)\/(.*)$/su;
const foreign = /^(server|plugin):([^/]*)(?:\/(.*))?$/su;
const providerName = /^(?!\.{1,2}$)[\w.-]{1,64}$/;
const tier = /^tier:([1-5])$/;

/** Parses a tool name or set: `Read`, `find_*`, `builtin/Read`, `server:github/create_issue`, `plugin:x`, `tier:2`. */
export function parseTarget(text: string, isBuiltin: IsBuiltin): EntryTarget | Flaw {
  if (text === '' || text.trim() !== text) return flaw('is empty, or starts or ends with a space');
  if (text.length > longest) return flaw(`is longer than ${String(longest)} characters`);
  if (/\p{Cc}/u.test(text)) return flaw('contains control characters');
  const [, own, ownName = ''] = ours.exec(text) ?? [];
  if (own === 'builtin' || own === 'workspace') return within(own, ownName);
  const [, kind, name = '', localName] = foreign.exec(text) ?? [];
  if (kind === 'server' || kind === 'plugin') return ofProvider(`${kind}:${name}`, name, localName);
  const [, level] = tier.exec(text) ?? [];
  if (level !== undefined) return { kind: 'tier', tier: Number(level) };
  if (text.includes(':')) return flaw('is not valid: use server:<name>, plugin:<name> or tier:<1 to 5>');
  return isBuiltin(text)
    ? { kind: 'tool', source: 'builtin', localName: text }
    : { kind: 'glob', pattern: text };
}

/** The same, with an optional leading `!` that blocks. */
export function parseEntry(text: string, effect: 'call' | 'see', isBuiltin: IsBuiltin): Entry | Flaw {
  const isBlock = text.startsWith('!');
  const target = parseTarget(isBlock ? text.slice(1) : text, isBuiltin);
  if (target.kind === 'flaw') return target;
  return { text, effect: isBlock ? 'block' : effect, target, object: targetObject(target) };
}

/** The tuple object of a target. */
export function targetObject(target: EntryTarget): string {
  switch (target.kind) {
    case 'tool':
      return toolObject(target);
    case 'provider':
      return providerObject(target.source);
    case 'tier':
      return groupOfTier(target.tier);
    case 'glob':
      return groupOfGlob(target.pattern);
  }
}

export function hasWildcard(text: string): boolean {
  return /[*?]/.test(text);
}

function ofProvider(source: Source, name: string, localName: string | undefined): EntryTarget | Flaw {
  if (!providerName.test(name)) return flaw('is not a valid server or plugin name');
  return localName === undefined ? { kind: 'provider', source } : within(source, localName);
}

function within(source: Source, localName: string): EntryTarget | Flaw {
  if (localName === '*') return { kind: 'provider', source };
  if (localName === '') return flaw('has no tool name after the slash');
  return hasWildcard(localName)
    ? flaw(
        'has a wildcard after the slash: use wildcards with the names that agents see, such as github_get_*',
      )
    : { kind: 'tool', source, localName };
}

function flaw(says: string): Flaw {
  return { kind: 'flaw', says };
}
