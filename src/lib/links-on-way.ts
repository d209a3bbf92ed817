import { lstatSync, readlinkSync } from 'node:fs';
import { join, parse, resolve, sep } from 'node:path';

const maxLinks = 40;

/** Every link on a path, each in the real path of its folder. */
export function linksOnWay(path: string): readonly string[] {
  const links: string[] = [];
  let current = parse(path).root;
  let names = namesOf(path);
  while (names.length > 0 && links.length < maxLinks) {
    const [name = '', ...rest] = names;
    const next = join(current, name);
    const target = targetOf(next);
    names = target === undefined ? rest : [...namesOf(resolve(current, target)), ...rest];
    current = target === undefined ? next : parse(next).root;
    if (target !== undefined) links.push(next);
  }
  return links;
}

function targetOf(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    // Missing or unreadable.
    return undefined;
  }
}

function namesOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((name) => name !== '');
}
