import { AdminError } from '../access/admin/index.js';

type Kind = 'text' | 'needed text' | 'flag' | 'number';
type Table = Readonly<Record<string, Kind>>;

interface Types {
  readonly text: string;
  readonly 'needed text': string;
  readonly flag: boolean;
  readonly number: number;
}

type Needed<T extends Table> = { [K in keyof T]: T[K] extends 'needed text' ? K : never }[keyof T];
type Members<T extends Table> = { readonly [K in Needed<T>]: Types[T[K]] } & {
  readonly [K in Exclude<keyof T, Needed<T>>]?: Types[T[K]];
};

/** Reads the fields of a body or query by a table. Missing, unknown or invalid fields are refused. */
export function readMembers<const T extends Table>(
  given: Readonly<Record<string, unknown>>,
  table: T,
): Members<T> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(table, name));
  if (unknown !== undefined) {
    const known = Object.keys(table).join(', ');
    throw bad(`Unknown field ${JSON.stringify(unknown.slice(0, 40))}. Available: ${known}.`);
  }
  const read = Object.entries(table).map(
    ([name, kind]) => [name, readMember(name, given[name], kind)] as const,
  );
  // Each value was read by its kind above.
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Members<T>;
}

function readMember(name: string, value: unknown, kind: Kind): Types[Kind] | undefined {
  // null is not "missing": `"until": null` must not become a grant without expiry.
  if (value === null) throw bad(`${name} must not be null. Leave it out.`);
  if (value === undefined) {
    if (kind === 'needed text') throw bad(`${name} is missing.`);
    return undefined;
  }
  if (kind === 'flag') {
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    throw bad(`${name} must be true or false.`);
  }
  if (kind === 'number') {
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
    throw bad(`${name} must be a number.`);
  }
  if (typeof value === 'string' && value !== '') return value;
  throw bad(`${name} must be a string.`);
}

function bad(message: string): AdminError {
  return new AdminError('access.bad_request', message);
}
