import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';

const maxCounted = 100;

/** A free name beside the path, to keep what was undone. */
export function freeName(path: string): string {
  for (let number = 1; number <= maxCounted; number += 1) {
    const name = `${path}.undone-${String(number)}`;
    if (lstatSync(name, { throwIfNoEntry: false }) === undefined) return name;
  }
  return `${path}.undone-${randomBytes(8).toString('hex')}`;
}
