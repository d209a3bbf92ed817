import { dirname } from 'node:path';
import { filesInFolder } from './digest.js';
import type { PluginFile } from './program.js';

/** The files of a folder that one digest stands for; none where it stands for one file. */
export function coveredFiles({ file, what }: PluginFile): Promise<readonly string[]> {
  if (what === 'a folder that its command names') return filesInFolder(file);
  return what === 'its manifest and what stands beside it'
    ? filesInFolder(dirname(file))
    : Promise.resolve([]);
}
