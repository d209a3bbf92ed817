import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { codeOf } from '../../../lib/error-code.js';
import { printable } from '../../../config/index.js';
import type { Context } from '../../command.js';
import { Failure } from '../../failure.js';

/** Reads YAML or JSON from a file, or from standard input for `-`. */
export async function readDocumentFile(name: string, { cwd, input }: Context): Promise<unknown> {
  const { parseDocument } = await import('../../../workspace/document-text.js');
  const text = name === '-' ? await input.readAll() : await readText(resolve(cwd, name));
  try {
    return parseDocument(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = `${printable(name)} is not valid YAML or JSON: ${printable(error.message)}`;
    throw new Failure('access.bad_document', message);
  }
}

async function readText(file: string): Promise<string> {
  try {
    // Reading a pipe or a device may never end.
    if (!(await stat(file)).isFile())
      throw new Failure('file.not_found', `Not a regular file: ${printable(file)}`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code = codeOf(error);
    const what = code === 'ENOENT' ? 'No such file' : `Cannot read (${String(code)})`;
    throw new Failure('file.not_found', `${what}: ${printable(file)}`);
  }
}
