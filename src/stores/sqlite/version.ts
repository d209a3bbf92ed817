import { StoreError } from '../../access/ports/index.js';
import { numberOf, textOf } from '../cells.js';
import type { Connection } from './connection.js';
import { schemaVersion } from './schema.js';

/** The schema of the file; 0 if it has none. Throws if the database is not ours. */
export function schemaVersionOf(connection: Connection, file: string): number {
  const tables = connection.prepare(
    "select count(*), count(case when name = 'schema_versions' then 1 end) from sqlite_schema",
  );
  const [all, versions] = tables.first() ?? [];
  if (numberOf(all) === 0) return 0;
  if (numberOf(versions) === 0)
    throw new StoreError(
      'store.corrupt',
      `${file} is not a Tidegate store: it is the database of another program.`,
    );
  return numberOf(connection.prepare('select coalesce(max(version), 0) from schema_versions').first()?.[0]);
}

/** A newer program may store data that this one cannot see: refuse instead of answering in part. */
export function requireKnownVersion(version: number, connection: Connection, file: string): void {
  if (version <= schemaVersion) return;
  const latest = connection
    .prepare('select program from schema_versions order by version desc limit 1')
    .first();
  const message = `The store ${file} was written by Tidegate ${textOf(latest?.[0])} (schema ${version}); this version supports schema ${schemaVersion}. Use that version or a newer one.`;
  throw new StoreError('store.newer_schema', message);
}
