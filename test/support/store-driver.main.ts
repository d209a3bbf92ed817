import { writeSync } from 'node:fs';
import type { AccessStore } from '../../src/access/ports/index.js';
import { openStoreFile } from './open-store-file.js';
import { openSqliteStore } from '../../src/stores/sqlite/index.js';
import { migrate } from '../../src/stores/sqlite/migrate.js';
import { type StoreOrder, slowSteps, type WhileReport } from './store-driver.js';

let text = '';
for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk);
const order = JSON.parse(text) as StoreOrder;
const { file, zone, lanes = 1, ms = 0, times = 0 } = order;
// At once: what was told before a kill was told.
const tell = (line: string): void => void writeSync(1, `${line}\n`);
const record = { at: 1, zone, action: 'grant.write', decision: 'allow', principal: 'user:test' } as const;

const jobs: Readonly<Record<StoreOrder['job'], () => Promise<void>>> = {
  async open() {
    tell('ready');
    const store = await openSqliteStore({ file });
    tell('open');
    await store.close();
  },
  async 'forget to close'() {
    const store = await openSqliteStore({ file });
    store.onChange(() => {});
    await act(store, 'g-first');
    await act(store, 'g-second');
    tell('written');
  },
  async migrate() {
    const connection = await openStoreFile(file, 0);
    tell('ready');
    migrate(connection, { file, program: 'test', steps: slowSteps });
    tell('done');
  },
  async 'migrate carelessly'() {
    const connection = await openStoreFile(file, 0);
    connection.exec('pragma journal_mode = wal; pragma synchronous = full');
    tell('ready');
    for (const [place, step] of slowSteps.entries()) {
      for (const statement of step.split(';')) connection.exec(statement);
      connection.exec(`insert into schema_versions values (${place + 1}, 'test', 0)`);
    }
    tell('done');
  },
  write: () => inLanes((store, name) => act(store, name).then(() => tell(name))),
  // Tells before it knows.
  'write carelessly': () =>
    inLanes((store, name) => {
      tell(name);
      return act(store, name);
    }),
  'write for a while': () => writeForAWhile(),
  'write for a while carelessly': () => competeCarelessly(),
  async 'write one by one'() {
    const store = await openSqliteStore({ file });
    tell('ready');
    for (let number = 0; number < times; number += 1) {
      await act(store, `g-${process.pid}-${number}`);
      tell(`acknowledged ${number}`);
    }
    await store.close();
  },
  async 'write one by one carelessly'() {
    const connection = await openStoreFile(file, 0);
    connection.exec('pragma journal_mode = wal; pragma synchronous = normal');
    connection.exec('create table if not exists facts (fact text)');
    tell('ready');
    for (let number = 0; number < times; number += 1) {
      connection.exec(`insert into facts values ('${number}')`);
      tell(`acknowledged ${number}`);
    }
  },
};
await jobs[order.job]();

/** What its name says: a grant, a token or a record. */
async function act(store: AccessStore, name: string): Promise<number> {
  if (name.startsWith('t')) {
    const token = {
      id: name,
      zone,
      hash: `hash of ${name}`,
      principal: 'agent:a',
      createdBy: 'user:test',
      createdAt: 1,
    };
    return store.addToken(token, record);
  }
  if (name.startsWith('a')) {
    await store.appendAudit([{ ...record, action: 'call', requestId: name }]);
    return 0;
  }
  const add = [{ user: 'principal:agent/a', relation: 'caller', object: `tool:${name}` }];
  return (await store.write({ zone, add, record })).revision;
}

/** Until somebody kills it. */
async function inLanes(work: (store: AccessStore, name: string) => Promise<unknown>): Promise<void> {
  const store = await openSqliteStore({ file });
  // The thread that writes starts with the first write; what comes after it is what is killed.
  await act(store, `a-${process.pid}`);
  tell('ready');
  const lane = async (place: number): Promise<void> => {
    for (let number = 0; ; number += 1)
      await work(store, `${'gggta'[number % 5] ?? 'g'}-${process.pid}-${place}-${number}`);
  };
  await Promise.all(Array.from({ length: lanes }, (_, place) => lane(place)));
}

async function writeForAWhile(): Promise<void> {
  const store = await openSqliteStore({ file });
  const [acknowledged, revisions, failures]: [string[], number[], string[]] = [[], [], []];
  let slowestMs = 0;
  const end = performance.now() + ms;
  const lane = async (place: number): Promise<void> => {
    for (let number = 0; performance.now() < end; number += 1) {
      const name = `g-${process.pid}-${place}-${number}`;
      const started = performance.now();
      try {
        revisions.push(await act(store, name));
        acknowledged.push(name);
      } catch (error) {
        failures.push(String(error));
      }
      slowestMs = Math.max(slowestMs, performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, place) => lane(place)));
  await store.close();
  const report: WhileReport = { acknowledged, revisions, failures, slowestMs };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}

/** The same file, the same pragmas, but nobody tries again. */
async function competeCarelessly(): Promise<void> {
  const connection = await openStoreFile(file, 0);
  const failures: string[] = [];
  const end = performance.now() + ms;
  let done = 0;
  while (performance.now() < end) {
    try {
      connection.exec('pragma journal_mode = wal; pragma synchronous = full');
      connection.exec(`create table if not exists facts (fact text); insert into facts values ('${done}')`);
      done += 1;
    } catch (error) {
      if (failures.length < 100) failures.push(String(error));
    }
  }
  const report: WhileReport = { acknowledged: [], revisions: [], failures, slowestMs: 0 };
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
