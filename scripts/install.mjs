// Imports only Node's built-in modules, because it runs before anything is installed.
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { runCommand } from './run-command.mjs';

/** Runs `npm ci` in a folder unless node_modules already matches its package-lock.json. */
export async function ensureInstalled(folder) {
  if (await isInstalled(folder)) return;
  console.log(`npm ci in ${relative(process.cwd(), folder) || 'this folder'}`);
  const { code } = await runCommand('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, show: true });
  if (code !== 0) throw new Error('npm ci failed');
}

async function isInstalled(folder) {
  const installed = await readPackages(join(folder, 'node_modules', '.package-lock.json'));
  const wanted = await readPackages(join(folder, 'package-lock.json'));
  if (!wanted) throw new Error(`${folder} has no package-lock.json`);
  if (!installed) return false;
  // Packages for other platforms are optional and not installed.
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    const found = installed[path];
    return path === '' || (found ? found.version === version : optional === true);
  });
}

async function readPackages(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
