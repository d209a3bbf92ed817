import { StoreError } from '../../access/ports/index.js';
import { numberOf, textOf } from '../cells.js';
import type { StoreLog } from '../log.js';
import type { Clients, Transaction } from './clients.js';
import { schemaSteps, schemaVersion } from './schema.js';

/** `TGAT` and a number: the advisory lock held during a migration. */
const lockKey = 0x54474154_01;

interface MigrationParts {
  readonly place: string;
  readonly program: string;
  readonly log?: StoreLog;
  readonly steps?: readonly string[];
}

/** Migrate the database to our schema, one transaction per step. Refuses a newer schema. */
export async function migrate(clients: Clients, parts: MigrationParts): Promise<void> {
  const { place, steps = schemaSteps } = parts;
  const known = await clients.read(async (sql) => {
    const [found] = await sql`select to_regclass('tidegate.schema_versions') is not null as found`;
    if (found?.['found'] !== true) return 0;
    const [row] =
      await sql`select coalesce(max(version), 0)::bigint as version from tidegate.schema_versions`;
    return numberOf(row?.['version']);
  });
  if (known > 0 && known < steps.length)
    parts.log?.('info', 'the store is being upgraded to a new schema', { from: known, to: steps.length });
  for (let version = known; version < steps.length; )
    version = await clients.migrate((sql) => takeStep(sql, parts, steps));
  if (known > steps.length) await clients.read((sql) => refuseNewer(sql, place));
}

async function takeStep(
  sql: Transaction,
  { program }: MigrationParts,
  steps: readonly string[],
): Promise<number> {
  await sql`select pg_advisory_xact_lock(${lockKey}::bigint)`;
  await sql.unsafe(`
    create schema if not exists tidegate;
    create table if not exists tidegate.schema_versions (
      version bigint primary key, program text not null, applied_at bigint not null
    )`);
  const [row] = await sql`select coalesce(max(version), 0)::bigint as version from tidegate.schema_versions`;
  // Another process may have run this step already.
  const version = numberOf(row?.['version']);
  const step = steps[version];
  if (step === undefined) return version;
  await sql.unsafe(step);
  await sql`insert into tidegate.schema_versions values (${version + 1}, ${program}, ${Date.now()})`;
  return version + 1;
}

/** A newer program may store data that this one cannot see: refuse instead of answering in part. */
export async function refuseNewer(sql: Pick<Transaction, 'unsafe'>, place: string): Promise<never> {
  const rows = await sql.unsafe(
    'select version, program from tidegate.schema_versions order by version desc limit 1',
  );
  const row: Readonly<Record<string, unknown>> = rows[0] ?? {};
  const [version, program] = [row['version'], row['program']];
  const message = `The store ${place} was written by Tidegate ${textOf(program)} (schema ${numberOf(version)}); this version supports schema ${schemaVersion}. Use that version or a newer one.`;
  throw new StoreError('store.newer_schema', message);
}
