import { parseSource } from './parse-source.js';
import { createProblem, type Finding, type Problem } from './problem.js';
import { readSource } from './source-file.js';
import { offsetAt, type Path } from '../lib/tree.js';

/** Adds the line and column of the value to a finding from another module. */
export async function problemInFile(
  file: string,
  finding: Finding & { readonly path: Path },
): Promise<Problem> {
  const source = readSource(file);
  const { root } = await parseSource(source);
  return createProblem(source.file, source.text, { ...finding, offset: offsetAt(root, finding.path) });
}
