import { emptyMap, type Path, type TreeNode } from '../lib/tree.js';
import { readSource } from './source-file.js';

/** A parsed file with positions, and the problems found. */
export interface ReadSource {
  readonly file: string;
  readonly text: string;
  readonly sha256?: string;
  readonly root: TreeNode;
  readonly flaws: readonly {
    readonly message: string;
    readonly offset: number;
    readonly path: Path;
    readonly remedy?: string;
  }[];
}

/** Loads the YAML library and returns a synchronous file reader. */
export async function openSourceReader(): Promise<(path: string, given?: string | Buffer) => ReadSource> {
  const { parseText } = await import('./yaml-tree.js');
  return (path, given) => {
    const { file, text, sha256, finding } = readSource(path, given);
    const parsed = finding === undefined ? parseText(text) : { root: emptyMap, findings: [finding] };
    const flaws = parsed.findings.map(({ message, offset = 0, path: at = [], remedy }) => ({
      message,
      offset,
      path: at,
      ...(remedy !== undefined && { remedy }),
    }));
    return { file, text, root: parsed.root, flaws, ...(sha256 !== undefined && { sha256 }) };
  };
}
