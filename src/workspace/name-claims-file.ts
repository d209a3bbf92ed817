import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../lib/sha256.js';
import type { NameClaims, NamedKind } from '../gateway/index.js';
import type { Source } from '../core/index.js';

export interface KeptClaims extends NameClaims {
  /** Writes pending changes. */
  close(): void;
}

type Owners = Record<NamedKind, Map<string, Source>>;

const format = 1;
const writeMs = 200;

/** Persistent claims of tool names, one file per configuration. Other processes may write it too. */
export function openNameClaims(stateDir: string, place: string): KeptClaims {
  const folder = join(stateDir, 'names');
  const file = join(folder, `${sha256Of(place)}.json`);
  const owners = readOwners(file);
  let changed = noOwners();
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    const all = readOwners(file);
    for (const kind of kinds) for (const [name, source] of changed[kind]) all[kind].set(name, source);
    changed = noOwners();
    const text = JSON.stringify({
      format,
      ...Object.fromEntries(kinds.map((kind) => [kind, [...all[kind]]])),
    });
    replaceFile(folder, file, text);
  }

  return {
    ownerOf: (kind, name) => owners[kind].get(name),
    claim(kind, name, source) {
      owners[kind].set(name, source);
      changed[kind].set(name, source);
      timer ??= setTimeout(write, writeMs).unref();
    },
    close() {
      if (timer !== undefined) write();
    },
  };
}

const kinds = ['tools', 'prompts'] as const satisfies readonly NamedKind[];

function noOwners(): Owners {
  return { tools: new Map(), prompts: new Map() };
}

/** A missing or damaged file claims nothing; the rule for new names then applies. */
function readOwners(file: string): Owners {
  const owners = noOwners();
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    if (value['format'] !== format) return owners;
    for (const kind of kinds) {
      const entries = Array.isArray(value[kind]) ? (value[kind] as readonly unknown[]) : [];
      for (const entry of entries) if (isEntry(entry)) owners[kind].set(entry[0], entry[1]);
    }
  } catch {
    // Missing or damaged.
  }
  return owners;
}

function isEntry(entry: unknown): entry is readonly [string, Source] {
  return (
    Array.isArray(entry) &&
    typeof entry[0] === 'string' &&
    typeof entry[1] === 'string' &&
    /^(?:server|plugin):/.test(entry[1])
  );
}

function replaceFile(folder: string, file: string, text: string): void {
  const temporary = join(folder, `.${randomUUID()}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // Without the file, the next start applies the rule for new names.
    rmSync(temporary, { force: true });
  }
}
