import { readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import type { Verdict } from '../../agents/index.js';

/** A stored verdict and its subject. */
export interface Remembered {
  readonly cli: string;
  readonly program: string;
  /** The requested model; absent for the agent's default. */
  readonly model?: string;
  readonly verdict: Verdict;
  readonly at: string;
}

export interface Verdicts {
  get(key: string): Verdict | undefined;
  set(key: string, remembered: Remembered): void;
  list(): readonly Remembered[];
}

const mostKept = 200;
/** Increase it when tests check more than before; older verdicts then become invalid. */
const trialRevision = 2;

/** Isolation verdicts of agents on this machine. If the file cannot be read, the test is repeated. */
export function openVerdicts(stateDirectory: string): Verdicts {
  const file = join(stateDirectory, 'agents.json');
  const read = (): Readonly<Record<string, Remembered>> => {
    try {
      const known: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return typeof known === 'object' && known !== null
        ? (known as Readonly<Record<string, Remembered>>)
        : {};
    } catch {
      return {};
    }
  };
  return {
    get: (key) => read()[key]?.verdict,
    set(key, remembered) {
      const { [key]: _before, ...others } = read();
      const entries = [...Object.entries(others), [key, remembered] as const].slice(-mostKept);
      const fresh = `${file}.${String(process.pid)}`;
      writeFileSync(fresh, JSON.stringify(Object.fromEntries(entries)), { mode: 0o600 });
      renameSync(fresh, file);
    },
    list: () => Object.values(read()),
  };
}

/** Identifies the program without starting or reading it; an upgrade changes at least one part. */
export function verdictKey(cli: string, program: string, model: string | undefined, version: string): string {
  const real = realpathSync(program);
  const { size, mtimeMs, ctimeMs, ino } = statSync(real);
  const parts = [
    cli,
    real,
    size,
    mtimeMs,
    ctimeMs,
    ino,
    packageVersion(real),
    model,
    version,
    process.version,
    trialRevision,
  ];
  return sha256Of(JSON.stringify(parts));
}

/** The version of the npm package that contains the program, if any. */
export function packageVersion(program: string): string | undefined {
  for (let folder = dirname(program), up = 0; up < 6; folder = dirname(folder), up += 1) {
    try {
      const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        version?: unknown;
      };
      if (typeof version === 'string') return version;
    } catch {
      // No package.json here.
    }
  }
  return undefined;
}
