import type { ListKind } from '../gateway/index.js';
import { type JsonText, membersOf, textOf } from '../lib/json-text.js';
import type { RawId } from '../lib/json-rpc.js';
import { protocolError } from './faults.js';

/** Responses and parsers shared by all protocol versions. */
export function duplicate(id: RawId): string {
  return protocolError(id, -32600, 'Invalid request: a request with this id is still in progress');
}

export function tooMany(id: RawId): string {
  return protocolError(id, -32603, 'Too many requests are in progress. Wait before sending more.', {
    code: 'call.too_many',
  });
}

export function unknownMethod(id: RawId, method: string): string {
  return protocolError(id, -32601, `Method not found: ${method}`);
}

export function failed(id: RawId): string {
  return protocolError(id, -32603, 'The gateway failed to answer this request.');
}

export function badCursor(id: RawId): string {
  return protocolError(id, -32602, 'Invalid cursor. Restart the list without a cursor.', {
    code: 'cursor.invalid',
  });
}

/** The cursor; undefined for the first page, null if it is invalid. */
export function cursorOf(params: JsonText | undefined): string | undefined | null {
  const cursor = (params?.value as { readonly cursor?: unknown } | undefined)?.cursor;
  if (cursor === undefined) return undefined;
  return typeof cursor === 'string' ? cursor : null;
}

/** The notification methods for changed lists. */
export function changeMethods(changed: readonly ListKind[]): string[] {
  const kinds = new Set(changed.map((kind) => (kind === 'templates' ? 'resources' : kind)));
  return [...kinds].map((kind) => `notifications/${kind}/list_changed`);
}

/** The id in a `notifications/cancelled`, as source text. */
export function cancelledId(params: JsonText | undefined): RawId | undefined {
  return params && textOf(params.text, membersOf(params.text), 'requestId');
}
