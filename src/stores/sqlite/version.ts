import { StoreError } from '../../access/ports/index.js';
import { numberOf, textOf } from '../cells.js';
import type { Connection } from './connection.js';
import { schemaVersion } from './schema.js';

/** Which schema the file has; 0 for a file without one. Throws for a database that is not ours. */
export function schemaVersionOf(connection: Connection, file: string): number {
  const tables = connection.prepare(
    "select count(*), count(case when name = 'schema_versions' then 1 end) from sqlite_schema",
  );
  const [all, versions] = tables.first() ?? [];
  if (numberOf(all) === 0) return 0;
  if (numberOf(versions) === 0)
    throw new StoreError(
      'store.corrupt',
      `${file} is a database of another program, or of none that we know.`,
    );
  return numberOf(connection.prepare('select coalesce(max(version), 0) from schema_versions').first()?.[0]);
}

/** A later program may keep things that we would not see: better no answer than half of one. */
export function requireKnownVersion(version: number, connection: Connection, file: string): void {
  if (version <= schemaVersion) return;
  const latest = connection
    .prepare('select program from schema_versions order by version desc limit 1')
    .first();
  const message = `The store ${file} was written by Tidegate ${textOf(latest?.[0])} (schema ${version}); this program knows schema ${schemaVersion}. Use that version or a newer one.`;
  throw new StoreError('store.newer_schema', message);
}
