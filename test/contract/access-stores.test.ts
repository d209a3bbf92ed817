import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessStoreCases } from 'tidegate/testing';
import { afterAll, describe, it } from 'vitest';
import { createMemoryDatabase, createMemoryStore } from '../../src/stores/memory/index.js';
import { openSqliteStore } from '../../src/stores/sqlite/index.js';

describe('the store in memory', () => {
  const database = createMemoryDatabase();
  for (const { name, run } of accessStoreCases) it(name, () => run(async () => createMemoryStore(database)));
});

describe('the store in a file of SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-stores-'));
  const file = join(folder, 'access.db');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  for (const { name, run } of accessStoreCases) it(name, () => run(() => openSqliteStore({ file })));
});
