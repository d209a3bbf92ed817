import { constants } from 'node:os';
import type { ProcessExit } from '../../ports/processes.js';
import type { ShellEnd } from '../../ports/shell.js';

const signals = Object.entries(constants.signals);

/**
 * Like shells, reports a signal as 128 + its number. A sandbox passes on only this number, so the result is the same
 * with and without one.
 */
export function shellEnd(exit: ProcessExit): ShellEnd {
  const number = signals.find(([name]) => name === exit.signal)?.[1];
  const exitCode = exit.code ?? 128 + (number ?? 0);
  const signal = exit.signal ?? signals.find(([, value]) => value === exitCode - 128)?.[0];
  return { exitCode, ...(signal !== undefined && { signal }) };
}
