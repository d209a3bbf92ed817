import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { digestOf, isInside, targetOutside } from './agent-program.js';
import type { Library } from './library.js';
import { filesRead } from './template/files-read.js';
import { TemplateError } from './template/template.js';

/** The files of a bundle while they are collected. */
export interface BundleContent {
  /** Names known only at run time, and unreadable files. */
  readonly unknown: Set<string>;
  readonly unsafe: Set<string>;
  /** Adds a file and returns its text, which is empty if it cannot be read. */
  add(path: string): string;
  /** Adds a file that is never read through the library: only its hash is stored. */
  addHash(path: string, sha256: string): void;
  /** Adds the files that a template inserts. */
  addRead(template: string): void;
  addProgram(name: string): void;
  files(): readonly string[];
  /** One hash over all files. */
  sha256(prefix: string): string;
}

export function createBundleContent(library: Library): BundleContent {
  const files = new Map<string, Buffer>();
  const unknown = new Set<string>();
  const unsafe = new Set<string>();
  const add = (path: string, read = (): Buffer => library.read(path)): string => {
    try {
      const bytes = files.get(path) ?? read();
      files.set(path, bytes);
      const target = targetOutside(path, library.roots);
      if (target !== undefined) unsafe.add(`${path} is a link to ${target}, outside the workspace`);
      return bytes.toString('utf8');
    } catch {
      unknown.add(path);
      return '';
    }
  };
  return {
    unknown,
    unsafe,
    add: (path) => add(path),
    addHash(path, sha256) {
      if (!files.has(path)) files.set(path, Buffer.from(sha256));
    },
    addRead(template) {
      for (const name of namesRead(template)) {
        if (name === undefined) unknown.add('{{readFile …}}');
        else add(resolve(library.cwd, name), () => library.readInside(name));
      }
    },
    addProgram(name) {
      const found = name.includes('{{') ? undefined : library.program(name);
      if (found === undefined) unknown.add(name);
      else if (isInside(found, library.roots)) unsafe.add(`agents can write the program ${found}`);
      else add(found, () => digestOf(found));
    },
    files: () => [...files.keys()],
    sha256(prefix) {
      const hash = createHash('sha256').update(prefix);
      for (const [path, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1)))
        hash.update(path).update('\0').update(bytes).update('\0');
      return hash.digest('hex');
    },
  };
}

function namesRead(text: string): readonly (string | undefined)[] {
  try {
    return filesRead(text);
  } catch (error) {
    // An invalid template also fails its step.
    if (error instanceof TemplateError) return [];
    throw error;
  }
}
