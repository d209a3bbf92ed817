import { median } from '../statistics.mjs';

const zone = 'bench';
const lanesOf = [1, 16, 64, 256];
const tupleCount = 100_000;

/** The cost of one commit per row without our code: the floor for comparison. */
export async function measureSingleRows(open, seconds) {
  const connection = await open();
  connection.exec('pragma journal_mode = wal; pragma synchronous = full; create table facts (fact text)');
  const insert = connection.prepare('insert into facts values (?)');
  const times = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const started = performance.now();
    insert.run(`fact ${times.length}`);
    times.push(performance.now() - started);
  }
  connection.close();
  return row(times, seconds);
}

/** Each write is acknowledged, and therefore on disk, before its lane starts the next one. */
export async function measureWrites(store, seconds) {
  const rows = {};
  let alone = 0;
  for (const lanes of lanesOf) {
    const times = await writeInLanes(store, lanes, seconds);
    if (lanes === 1) alone = times.length;
    const name = lanes === 1 ? 'grants, one at a time' : `grants, ${lanes} at once`;
    rows[name] = { ...row(times, seconds), 'against one': (times.length / alone).toFixed(1) };
  }
  return rows;
}

async function writeInLanes(store, lanes, seconds) {
  const times = [];
  const run = Math.random();
  const end = performance.now() + seconds * 1000;
  const lane = async (place) => {
    for (let number = 0; performance.now() < end; number += 1) {
      const add = [{ user: `principal:agent/${place}`, relation: 'caller', object: `tool:${run}/${number}` }];
      const started = performance.now();
      await store.write({ zone, add, record: recordOf() });
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, place) => lane(place)));
  return times;
}

/** With a hundred thousand tuples in the store. */
export async function measureReads(store) {
  const many = `${zone}-many`;
  for (let from = 0; from < tupleCount; from += 5000) {
    const add = Array.from({ length: 5000 }, (_, place) => ({
      user: `principal:agent/${(from + place) % 200}`,
      relation: 'caller',
      object: `tool:server/s${(from + place) % 50}/tool${from + place}`,
    }));
    await store.write({ zone: many, add, record: recordOf() });
  }
  const token = {
    id: 'bench',
    zone: many,
    hash: 'h'.repeat(64),
    principal: 'agent:a',
    createdBy: 'user:a',
    createdAt: 1,
  };
  await store.addToken(token, recordOf());
  const revision = await store.revision(many);
  return {
    revision: await perCall(() => store.revision(many)),
    'changes, none': await perCall(() => store.changes(many, revision)),
    'changes, one': await perCall(() => store.changes(many, revision - 1)),
    'token by hash': await perCall(() => store.findToken(token.hash)),
    [`all ${tupleCount} tuples`]: await perCall(() => store.changes(many, undefined), 5),
  };
}

async function perCall(ask, rounds = 2000) {
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await ask();
    times.push(performance.now() - started);
  }
  return { 'p50 µs': micros(median(times)), 'p99 µs': micros(quantile(times, 0.99)) };
}

function row(times, seconds) {
  return {
    'commits/s': Math.round(times.length / seconds),
    'p50 ms': median(times).toFixed(2),
    'p99 ms': quantile(times, 0.99).toFixed(2),
  };
}

function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function micros(ms) {
  return Number((ms * 1000).toFixed(1));
}

function recordOf() {
  return { at: Date.now(), zone, action: 'grant.write', decision: 'allow', principal: 'user:bench' };
}
