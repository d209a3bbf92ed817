// Convert conditions, tokens and audit records to JSON text and back.
import { sha256Of } from '../lib/sha256.js';
import { isRecord } from '../lib/is-record.js';
import { type AuditRecord, type GrantTuple, StoreError, type TokenRecord } from '../access/ports/index.js';

const longestColumn = 200;

type Condition = NonNullable<GrantTuple['condition']>;

/** Equal conditions give the same text, whatever their field order. */
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

/** The fields of a token that never change. Its times of revocation and last use have their own columns. */
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

/** `revision`: filled in by the store for the record of a change. */
export function auditText(record: AuditRecord, revision: number | undefined): string {
  return JSON.stringify(revision === undefined ? record : { ...record, revision });
}

export function auditOf(text: string): AuditRecord {
  const record = parseObject(text);
  if (!isAudit(record)) throw unreadable('audit record');
  return record;
}

/**
 * The value of an indexed column: the text, or its hash if the text is too long for an index or not storable.
 */
export function columnText(text: string): string {
  if (text.length <= longestColumn && !/\0|\p{Surrogate}/u.test(text)) return text;
  // Hash the JSON form, which escapes a lone surrogate.
  return `sha256:${sha256Of(JSON.stringify(text))}`;
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
    throw new StoreError('store.corrupt', 'A record in the store is not valid JSON.', { cause });
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
  return new StoreError('store.corrupt', `A ${what} in the store is not valid: it was changed or damaged.`);
}
