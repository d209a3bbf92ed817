// Conditions, tokens and audit records as the JSON text that databases keep, and back.
import { createHash } from 'node:crypto';
import { isRecord } from '../lib/is-record.js';
import { type AuditRecord, type GrantTuple, StoreError, type TokenRecord } from '../access/ports/index.js';

const longestColumn = 200;

type Condition = NonNullable<GrantTuple['condition']>;

/** The same text for the same condition, whatever the order of its fields. */
export function conditionText(condition: Condition | undefined): string | null {
  if (condition === undefined) return null;
  const { name, context } = condition;
  return JSON.stringify(context === undefined ? { name } : { name, context: sorted(context) });
}

export function conditionOf(text: string | null): Condition | undefined {
  if (text === null) return undefined;
  const found = parseObject(text);
  const { name, context } = found;
  if (typeof name !== 'string') throw unreadable('condition');
  if (context === undefined) return { name };
  if (!isRecord(context)) throw unreadable('condition');
  return { name, context };
}

/** What stays as it was made. When a token was revoked and used stands in columns of its own. */
export function tokenText({ revokedAt: _revoked, lastUsedAt: _used, ...made }: TokenRecord): string {
  return JSON.stringify(made);
}

export function tokenOf(text: string, revokedAt: number | null, lastUsedAt: number | null): TokenRecord {
  const made = parseObject(text);
  if (!isToken(made)) throw unreadable('token');
  return {
    ...made,
    ...(revokedAt === null ? {} : { revokedAt }),
    ...(lastUsedAt === null ? {} : { lastUsedAt }),
  };
}

/** `revision` is what the store fills in, for the record of a change. */
export function auditText(record: AuditRecord, revision: number | undefined): string {
  return JSON.stringify(revision === undefined ? record : { ...record, revision });
}

export function auditOf(text: string): AuditRecord {
  const record = parseObject(text);
  if (!isAudit(record)) throw unreadable('audit record');
  return record;
}

/**
 * For a column that is searched: the text itself, or something else that only this text gives. What an agent sent may be longer
 * than an index takes, or hold what a database cannot.
 */
export function columnText(text: string): string {
  if (text.length <= longestColumn && !/\0|\p{Surrogate}/u.test(text)) return text;
  // As JSON, where half a surrogate pair is spelt out.
  return `sha256:${createHash('sha256').update(JSON.stringify(text)).digest('hex')}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value) || 'toJSON' in value) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new StoreError('store.corrupt', 'A record in the store is not JSON.', { cause });
  }
  if (!isRecord(value)) throw unreadable('record');
  return value;
}

function isToken(value: object): value is TokenRecord {
  return hasTexts(value, ['id', 'zone', 'hash', 'principal', 'createdBy']) && hasNumber(value, 'createdAt');
}

function isAudit(value: object): value is AuditRecord {
  return hasTexts(value, ['zone', 'action', 'decision', 'principal']) && hasNumber(value, 'at');
}

function hasTexts(value: object, names: readonly string[]): boolean {
  const texts = new Map<string, unknown>(Object.entries(value));
  return names.every((name) => typeof texts.get(name) === 'string');
}

function hasNumber(value: object, name: string): boolean {
  return typeof new Map<string, unknown>(Object.entries(value)).get(name) === 'number';
}

function unreadable(what: string): StoreError {
  return new StoreError('store.corrupt', `A ${what} in the store is not what was written there.`);
}
