import { canonical, type Client, isJsonObject, type Json } from '../../clients/index.js';

const most = 20;

/** The paths that differ between two texts. Never the values: client files contain secrets. */
export function differences(format: Client['format'], before: string, after: string): readonly string[] {
  try {
    const all = [...paths(format.parse(before), format.parse(after), '')];
    if (all.length === 0) return ['only whitespace, comments or key order differ'];
    return all.length <= most ? all : [...all.slice(0, most), `and ${String(all.length - most)} more`];
  } catch {
    return ['the file can no longer be parsed'];
  }
}

function* paths(before: Json, after: Json, path: string): Generator<string> {
  if (canonical(before) === canonical(after)) return;
  if (!isJsonObject(before) || !isJsonObject(after)) {
    const word = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    yield `${word}: ${path === '' ? 'everything' : path}`;
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const name = /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
    yield* paths(before[key], after[key], path === '' ? name : `${path}.${name}`);
  }
}
