import { statsOf } from './stats-of.js';

const programFile = /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php|lua|jar|wasm|node|exs?)$/i;
/** Scripts for shells and build tools. */
export const shellNames = /\.(?:sh|bash|zsh|ksh|mk)$|^(?:GNU)?[Mm]akefile$|^\.?[Jj]ustfile$|^Rakefile$/;

/** Whether a file is a program, by its name or its execute permission. Other files are data. */
export function isProgram(path: string): boolean {
  const stats = statsOf(path);
  return stats?.isFile() === true && (programFile.test(path) || (stats.mode & 0o111) !== 0);
}
