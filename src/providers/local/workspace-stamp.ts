import { lstatSync, readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { toolFolder } from './scan-workspace.js';

/** Changes whenever a tool file or the trust file changes. Cheap enough to compute every second. */
export function workspaceStamp(workspace: string, trustFile: string): string {
  const folder = toolFolder(workspace);
  return [...pathsUnder(folder, 0), trustFile].map(stampOfPath).join('\n');
}

function pathsUnder(folder: string, depth: number): readonly string[] {
  if (depth > 8) return [folder];
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).slice(0, 1000);
    const inner = entries.flatMap((entry) => {
      if (entry.name === 'node_modules') return [];
      const path = `${folder}${sep}${entry.name}`;
      return entry.isDirectory() ? pathsUnder(path, depth + 1) : [path];
    });
    return [folder, ...inner];
  } catch {
    // Usually the folder does not exist.
    return [folder];
  }
}

function stampOfPath(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '-' : `${path} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}
