import { dirname } from 'node:path';
import { filesInFolder } from '../started/digest.js';
import type { PluginFile } from './program.js';

/** The files in a folder that one digest covers; empty if it covers a single file. */
export function coveredFiles({ file, what }: PluginFile): Promise<readonly string[]> {
  if (what === 'a folder that its command names') return filesInFolder(file);
  return what === 'its manifest and what stands beside it'
    ? filesInFolder(dirname(file))
    : Promise.resolve([]);
}
