import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asRecord } from '../../lib/is-record.js';
import type { Environment } from '../substitute.js';
import { dataHome } from './directories.js';

/** The state that AWF records for one of its plugins. */
export interface AwfRecord {
  readonly isOff: boolean;
  /** Values as text, as in a YAML file. */
  readonly config: ReadonlyMap<string, string>;
}

const mostBytes = 1024 * 1024;

export function awfStateFile(environment: Environment): string {
  return join(dataHome(environment), 'awf', 'plugins', 'plugins.json');
}

/**
 * Reads the record that `awf plugin disable` writes for the plugins in its folders. It is never written here. An unreadable
 * record is ignored, which is safe because every plugin still needs trust.
 */
export function readAwfState(environment: Environment): ReadonlyMap<string, AwfRecord> {
  const file = awfStateFile(environment);
  try {
    if (statSync(file).size > mostBytes) return new Map();
    const all: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return new Map(Object.entries(asRecord(all)).map(([name, value]) => [name, recordOf(asRecord(value))]));
  } catch {
    // Most users have no AWF state.
    return new Map();
  }
}

function recordOf({ enabled, config }: Readonly<Record<string, unknown>>): AwfRecord {
  const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  const entries = Object.entries(asRecord(config)).filter(([, value]) => isScalar(value));
  return { isOff: enabled === false, config: new Map(entries.map(([key, value]) => [key, String(value)])) };
}
