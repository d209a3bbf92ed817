import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { AuditRecord, AuditStore } from '../access/ports/index.js';
import { isRunning } from '../lib/is-running.js';

export interface SpoolParts {
  readonly directory: string;
}

/** Limit per process; further records are refused, and the caller warns the operator. */
const maxBytes = 64 * 1024 * 1024;
const maxFiles = 100;
const batchSize = 1000;
const lastLineMs = 200;
/** The latest time a Date can represent. */
const lastTime = 8.64e15;
const fresh = /^\d+-[\da-f]+\.jsonl$/;
const taken = /^(\d+)-[\da-f]+\.jsonl\.(\d+)$/;

/**
 * Audit records of a gateway without an open store, one per line, in one file per process. The next process with an
 * open store moves them there.
 */
export function openAuditSpool({ directory }: SpoolParts): Pick<AuditStore, 'appendAudit'> {
  const file = join(directory, `${String(process.pid)}-${randomBytes(6).toString('hex')}.jsonl`);
  let bytes = 0;
  let isReady = false;
  return {
    async appendAudit(records) {
      const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
      if (bytes + text.length > maxBytes)
        throw new Error('too many audit records are waiting to be written to the store');
      if (!isReady) await mkdir(directory, { recursive: true, mode: 0o700 });
      isReady = true;
      await appendFile(file, text, { mode: 0o600 });
      bytes += text.length;
    },
  };
}

/** Whether so many files have accumulated that the store should be opened for them. */
export async function isSpoolFull(directory: string): Promise<boolean> {
  return (await namesIn(directory)).length > maxFiles;
}

/** Moves spooled records into the store. Two processes never read the same file. */
export async function drainAuditSpool(
  directory: string,
  store: Pick<AuditStore, 'appendAudit'>,
  warn: (message: string, fields?: Readonly<Record<string, unknown>>) => void,
): Promise<void> {
  for (const name of await namesIn(directory)) {
    const own = await take(directory, name);
    if (own === undefined) continue;
    try {
      await moveInto(store, own);
      await rm(own, { force: true });
    } catch (error) {
      warn('audit records are still waiting to be written to the store', { file: own, error: String(error) });
    }
  }
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch {
    // Nothing is spooled.
    return [];
  }
}

/** Claims a file by renaming it. A file whose claiming process has ended can be claimed again. */
async function take(directory: string, name: string): Promise<string | undefined> {
  const [, , claimer] = taken.exec(name) ?? [];
  const isFree = fresh.test(name) || (claimer !== undefined && !isRunning(Number(claimer)));
  if (!isFree) return undefined;
  const own = join(directory, `${name.replace(/\.jsonl\.\d+$/, '.jsonl')}.${String(process.pid)}`);
  try {
    await rename(join(directory, name), own);
    // The writer may still be finishing a line.
    if (isRunning(Number.parseInt(name, 10))) await delay(lastLineMs);
    return (await stat(own)).isFile() ? own : undefined;
  } catch {
    // Another process claimed it first.
    return undefined;
  }
}

async function moveInto(store: Pick<AuditStore, 'appendAudit'>, file: string): Promise<void> {
  const handle = await open(file, 'r');
  let batch: AuditRecord[] = [];
  try {
    for await (const line of createInterface({ input: handle.createReadStream({ encoding: 'utf8' }) })) {
      batch.push(...recordIn(line));
      if (batch.length < batchSize) continue;
      await store.appendAudit(batch);
      batch = [];
    }
    if (batch.length > 0) await store.appendAudit(batch);
  } finally {
    await handle.close().catch(() => undefined);
  }
}

/** The last line of a killed process may be truncated. */
function recordIn(line: string): readonly AuditRecord[] {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? [value] : [];
  } catch {
    return [];
  }
}

function isRecord(value: unknown): value is AuditRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { at, zone, action, decision, principal } = value as Readonly<Record<string, unknown>>;
  const texts = [zone, action, principal].every((text) => typeof text === 'string' && text.length <= 1024);
  const isTime = typeof at === 'number' && at >= 0 && at <= lastTime;
  return texts && isTime && (decision === 'allow' || decision === 'deny');
}
