import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { printable } from '../config/index.js';
import type { Context } from './command.js';
import { Failure } from './failure.js';

/** A document in YAML or JSON, from a file or, for `-`, from standard input. */
export async function readDocumentFile(name: string, { cwd, input }: Context): Promise<unknown> {
  const { parseDocument } = await import('../app/document-text.js');
  const text = name === '-' ? await input.readAll() : await readText(resolve(cwd, name));
  try {
    return parseDocument(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const message = `${printable(name)} is neither YAML nor JSON: ${printable(error.message)}`;
    throw new Failure('access.bad_document', message);
  }
}

async function readText(file: string): Promise<string> {
  try {
    // A pipe may never end, and a device never does.
    if (!(await stat(file)).isFile())
      throw new Failure('file.not_found', `No plain file: ${printable(file)}`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Failure) throw error;
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    const what = code === 'ENOENT' ? 'No such file' : `Cannot read (${String(code)})`;
    throw new Failure('file.not_found', `${what}: ${printable(file)}`);
  }
}
