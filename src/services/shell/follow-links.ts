import { readlinkSync } from 'node:fs';
import { join, parse, resolve, sep } from 'node:path';
import { lookAt } from './plain-file.js';

const maxLinks = 40;

/** Every link on a path with its target, and the path where it ends, existing or not. */
export function followLinks(path: string): {
  readonly links: ReadonlyMap<string, string>;
  readonly real: string;
} {
  const links = new Map<string, string>();
  let current = parse(path).root;
  let names = namesOf(path);
  while (names.length > 0 && links.size < maxLinks) {
    const [name = '', ...rest] = names;
    const next = join(current, name);
    const target = lookAt(next)?.isSymbolicLink() === true ? readlinkSync(next) : undefined;
    if (target === undefined || links.has(next)) {
      current = next;
      names = rest;
    } else {
      links.set(next, target);
      const led = resolve(current, target);
      current = parse(led).root;
      names = [...namesOf(led), ...rest];
    }
  }
  return { links, real: join(current, ...names) };
}

function namesOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((name) => name !== '');
}
