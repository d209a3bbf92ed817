/** The SQLite store in processes of its own: to be killed, to compete with each other, and to be watched. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface StoreOrder {
  readonly job:
    | 'open'
    | 'forget to close'
    | 'migrate'
    | 'migrate carelessly'
    | 'write'
    | 'write carelessly'
    | 'write for a while'
    | 'write for a while carelessly'
    | 'write one by one'
    | 'write one by one carelessly';
  readonly file: string;
  readonly zone: string;
  /** How many writes are under way at once. */
  readonly lanes?: number;
  readonly ms?: number;
  readonly times?: number;
}

export interface WhileReport {
  readonly acknowledged: readonly string[];
  readonly revisions: readonly number[];
  readonly failures: readonly string[];
  readonly slowestMs: number;
}

export interface DrivenStore {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** The next line that it tells. */
  next(): Promise<string>;
  /** Kills it, and gives every line that it still told. */
  kill(): Promise<readonly string[]>;
  /** Gives every line when it has ended by itself, and rejects when it failed. */
  ended(): Promise<readonly string[]>;
}

/** `under`: a command that runs it, such as strace. */
export function startStoreDriver(
  driver: string,
  order: StoreOrder,
  under: readonly string[] = [],
): DrivenStore {
  const [command, ...args] = [...under, process.execPath, driver];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exit = once(child, 'exit');
  child.stdin.end(JSON.stringify(order));
  const rest = async (): Promise<readonly string[]> => {
    const told: string[] = [];
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) told.push(line.value);
    return told;
  };
  return {
    child,
    async next() {
      const line = await lines.next();
      if (line.done === true) throw new Error('the driver ended without a word');
      return line.value;
    },
    async kill() {
      child.kill('SIGKILL');
      const told = await rest();
      await exit;
      return told;
    },
    async ended() {
      const told = await rest();
      const [code, signal] = (await exit) as [number | null, string | null];
      if (code !== 0) throw new Error(`the driver ended with ${code ?? signal ?? 'nothing'}`);
      return told;
    },
  };
}

/** Steps that take long enough to be killed in: each makes a table and fills it. */
export const slowSteps = Array.from(
  { length: 6 },
  (_, step) => `
  ${step === 0 ? 'create table schema_versions (version integer primary key, program text not null, applied_at integer not null) strict;' : ''}
  create table slow_${step} (n integer primary key, text text not null) strict;
  with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${slowRows()})
    insert into slow_${step} select n, hex(randomblob(50)) from numbers;
  create index slow_${step}_text on slow_${step} (text);`,
);

export function slowRows(): number {
  return 5000;
}
