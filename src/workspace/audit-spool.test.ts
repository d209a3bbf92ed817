import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AuditRecord } from '../access/ports/index.js';
import { drainAuditSpool, isSpoolFull, openAuditSpool } from './audit-spool.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tidegate-spool-'));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const record = (target: string): AuditRecord => ({
  at: 1,
  zone: 'local',
  action: 'call',
  decision: 'allow',
  principal: 'user:ana',
  target,
});

function createAuditWriter(fail = false) {
  const kept: AuditRecord[] = [];
  return {
    kept,
    appendAudit(records: readonly AuditRecord[]): Promise<void> {
      if (fail) return Promise.reject(new Error('full'));
      kept.push(...records);
      return Promise.resolve();
    },
  };
}

const quiet = (): void => undefined;

it('spooled records are moved into the store, and the files are deleted', async () => {
  const spool = openAuditSpool({ directory });
  await spool.appendAudit([record('a'), record('b')]);
  await spool.appendAudit([record('c')]);
  const store = createAuditWriter();
  await drainAuditSpool(directory, store, quiet);
  expect(store.kept.map(({ target }) => target)).toEqual(['a', 'b', 'c']);
  expect(readdirSync(directory)).toEqual([]);
});

it('two concurrent drains move each record once', async () => {
  for (let at = 0; at < 5; at += 1) await openAuditSpool({ directory }).appendAudit([record(String(at))]);
  const store = createAuditWriter();
  await Promise.all([drainAuditSpool(directory, store, quiet), drainAuditSpool(directory, store, quiet)]);
  expect(store.kept.map(({ target }) => target).sort()).toEqual(['0', '1', '2', '3', '4']);
});

it('truncated and foreign lines are skipped', async () => {
  await openAuditSpool({ directory }).appendAudit([record('whole')]);
  const [name = ''] = readdirSync(directory);
  appendFileSync(
    join(directory, name),
    'null\n{"at":1}\n' + JSON.stringify({ ...record('far'), at: 1e300 }) + '\n{"at":1,"zone":"lo',
  );
  const store = createAuditWriter();
  await drainAuditSpool(directory, store, quiet);
  expect(store.kept.map(({ target }) => target)).toEqual(['whole']);
});

it('records the store refused wait for the next drain, with a warning', async () => {
  await openAuditSpool({ directory }).appendAudit([record('kept')]);
  const told: string[] = [];
  await drainAuditSpool(directory, createAuditWriter(true), (message) => void told.push(message));
  expect(told).toHaveLength(1);
  // As if the claiming process had ended: 2 ** 22 is above any pid.
  const [name = ''] = readdirSync(directory);
  const { renameSync } = await import('node:fs');
  renameSync(join(directory, name), join(directory, name.replace(/\d+$/, '4194304')));
  const store = createAuditWriter();
  await drainAuditSpool(directory, store, quiet);
  expect(store.kept.map(({ target }) => target)).toEqual(['kept']);
});

it('is full above a hundred files', async () => {
  expect(await isSpoolFull(directory)).toBe(false);
  for (let at = 0; at < 100; at += 1) await openAuditSpool({ directory }).appendAudit([record('x')]);
  expect(await isSpoolFull(directory)).toBe(false);
  await openAuditSpool({ directory }).appendAudit([record('x')]);
  expect(await isSpoolFull(directory)).toBe(true);
});

it('a missing folder is empty', async () => {
  const store = createAuditWriter();
  await drainAuditSpool(join(directory, 'none'), store, quiet);
  expect(store.kept).toEqual([]);
});
