import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../substitute.js';
import { dataHome } from './directories.js';

/** What AWF keeps of one of its plugins. */
export interface AwfRecord {
  readonly isOff: boolean;
  /** Values as they would stand in a file. */
  readonly config: ReadonlyMap<string, string>;
}

const mostBytes = 1024 * 1024;

export function awfStateFile(environment: Environment): string {
  return join(dataHome(environment), 'awf', 'plugins', 'plugins.json');
}

/**
 * The record in which `awf plugin disable` writes, for the plugins of its folders. It belongs to the user and is only
 * read. One that cannot be read says nothing: it never lets a plugin run that nobody trusted here.
 */
export function readAwfState(environment: Environment): ReadonlyMap<string, AwfRecord> {
  const file = awfStateFile(environment);
  try {
    if (statSync(file).size > mostBytes) return new Map();
    const all: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return new Map(Object.entries(asObject(all)).map(([name, value]) => [name, recordOf(asObject(value))]));
  } catch {
    // Most homes have none.
    return new Map();
  }
}

function recordOf({ enabled, config }: Readonly<Record<string, unknown>>): AwfRecord {
  const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  const entries = Object.entries(asObject(config)).filter(([, value]) => isScalar(value));
  return { isOff: enabled === false, config: new Map(entries.map(([key, value]) => [key, String(value)])) };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
