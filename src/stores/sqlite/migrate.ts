import type { Connection } from './connection.js';
import { schemaSteps } from './schema.js';
import { requireKnownVersion, schemaVersionOf } from './version.js';
import { whileBusy } from './while-busy.js';

interface MigrationParts {
  readonly file: string;
  readonly program: string;
  readonly steps?: readonly string[];
}

/** Another process may be migrating millions of records. */
const migrationPatienceMs = 3_600_000;

/**
 * Migrate the file to our schema, one transaction per step: a killed process leaves the old version or the
 * next one.
 */
export function migrate(
  connection: Connection,
  { file, program, steps = schemaSteps }: MigrationParts,
): void {
  // This setting is stored in the file.
  whileBusy(() => connection.exec('pragma journal_mode = wal'));
  const isDone = (): boolean => {
    const version = schemaVersionOf(connection, file);
    if (version > steps.length) requireKnownVersion(version, connection, file);
    return version >= steps.length;
  };
  while (!isDone()) {
    whileBusy(() => {
      try {
        connection.exec('begin immediate');
        // Another process may have run this step already.
        const version = schemaVersionOf(connection, file);
        const step = steps[version];
        if (step !== undefined) {
          connection.exec(step);
          const note = connection.prepare('insert into schema_versions values (?, ?, ?)');
          note.run(version + 1, program, Date.now());
        }
        connection.exec('commit');
      } finally {
        connection.abandon();
      }
    }, migrationPatienceMs);
  }
}
