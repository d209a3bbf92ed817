import { CannotEdit, type Client, edit, isJsonObject, objectAt } from '../../clients/index.js';
import type { Backup } from '../../workspace/client-files/backups.js';

/**
 * The current text with the backup's servers in place of the gateway; the client's later changes stay. A server that
 * exists again is not touched. Undefined if this cannot be done safely.
 */
export function repairedText(
  format: Client['format'],
  now: string,
  before: string,
  changes: Backup['changes'],
): string | undefined {
  try {
    return changes.reduce((text, change) => repairedSection(format, text, before, change), now);
  } catch (error) {
    if (error instanceof CannotEdit || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function repairedSection(
  format: Client['format'],
  text: string,
  before: string,
  { section, removed, added }: Backup['changes'][number],
): string {
  const there = objectAt(format.parse(text), section);
  const old = objectAt(format.parse(before), section);
  const back = removed.flatMap((name) => {
    const entry = old[name];
    return isJsonObject(entry) && !Object.hasOwn(there, name) ? [{ name, entry }] : [];
  });
  const gate = added !== undefined && Object.hasOwn(there, added) ? [added] : [];
  const [first, ...rest] = back;
  const start = edit(format, text, { section, remove: gate, ...(first && { add: first }) });
  return rest.reduce((so, add) => edit(format, so, { section, remove: [], add }), start);
}
