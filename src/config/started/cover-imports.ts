import { dirname } from 'node:path';
import { createGathering } from './cover.js';
import type { Cover } from './covered.js';

/** Files that run in the gateway, with the text that was read. They are trusted separately, by their own content. */
export interface ImportingFiles {
  readonly texts: ReadonlyMap<string, string>;
  /** Module names that the gateway provides to these files. */
  readonly given: ReadonlySet<string>;
}

/** Covers what these files load from elsewhere in the roots. */
export function coverImports({ texts, given }: ImportingFiles, roots: readonly string[]): Cover {
  const folders = new Set([...texts.keys()].map((file) => dirname(file)));
  const gathering = createGathering(roots, {
    leftOut: {
      isFile: (path) => texts.has(path),
      isModule: (name, folder) => given.has(name) && folders.has(folder),
    },
  });
  for (const [file, text] of texts) gathering.addText(file, text);
  return gathering.cover();
}
