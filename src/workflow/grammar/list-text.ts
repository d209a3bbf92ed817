import { isParsable } from '../../lib/json-rpc.js';

/** Reads a list from a string: a JSON array, or words separated by commas. */
export function listFromText(written: string): readonly unknown[] {
  const text = written.trim();
  if (text.startsWith('[') && isParsable(text)) {
    try {
      const read: unknown = JSON.parse(text);
      if (Array.isArray(read)) return read;
    } catch {
      // Not JSON: split at commas.
    }
  }
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}
