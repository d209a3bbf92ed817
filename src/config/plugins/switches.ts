import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { withFileLock } from '../../lib/file-lock.js';

/** Which plugins the operator has disabled, by place. */
export interface PluginSwitches {
  isOff(place: string): boolean;
  turn(place: string, isOn: boolean): void;
}

export function switchFile(stateDirectory: string): string {
  return join(stateDirectory, 'plugins-off.json');
}

/** Every query reads from disk. Fails closed: an unreadable record disables all plugins. */
export function openPluginSwitches(stateDirectory: string): PluginSwitches {
  const file = switchFile(stateDirectory);
  return {
    isOff(place) {
      const off = readOff(file);
      return off === undefined || off.includes(place);
    },
    turn(place, isOn) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      withFileLock(`${file}.lock`, () => {
        const others = (readOff(file) ?? []).filter((one) => one !== place);
        const draft = `${file}.${randomUUID()}.draft`;
        writeFileSync(draft, `${JSON.stringify({ version: 1, off: isOn ? others : [...others, place] })}\n`, {
          mode: 0o600,
        });
        renameSync(draft, file);
      });
    },
  };
}

function readOff(file: string): readonly string[] | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const isAbsent = codeOf(error) === 'ENOENT';
    return isAbsent ? [] : undefined;
  }
  try {
    const { off } = JSON.parse(text) as { readonly off?: unknown };
    return Array.isArray(off) && off.every((one) => typeof one === 'string') ? off : undefined;
  } catch {
    return undefined;
  }
}
