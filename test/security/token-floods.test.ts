import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place } from '../support/gate.js';
import { type HttpClient, openHttpClient } from '../support/http-client.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';

const limitMs = 120_000;
const requests = 2000;
let server: PostgresServer;
let sql: postgres.Sql;
let place: Place;
let gate: HttpGate;
let client: HttpClient;
let secret: string;

beforeAll(async () => {
  server = await openPostgresServer();
  const url = await server.createDatabase();
  sql = postgres(url, { max: 1, onnotice: () => undefined });
  place = openAccessPlace({ builtins: [], store: { kind: 'postgres', url } });
  ({ secret } = await makeToken(place, '--as', 'agent:bob'));
  gate = await openHttpGate(place);
  client = openHttpClient(gate.base, 500);
}, limitMs);
afterAll(async () => {
  client.close();
  await gate.close();
  place.close();
  await sql.end();
  await server.close();
});

/** A token of the right shape that nobody made. */
const madeUp = (): string => `tgt_${randomBytes(32).toString('base64url')}`;

async function statusFor(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await client.send('/api/tools', '', { method: 'GET', headers, limitMs })).status;
}

/** How often the database was asked, up to now. */
async function asked(): Promise<number> {
  // Each session of the database tells its counts when it is idle, once in a while.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const [row] = await sql<{ count: string }[]>`
    select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`;
  return Number(row?.count);
}

describe('[15.11] made-up tokens', () => {
  it('cause few database queries if many arrive at once', { timeout: limitMs }, async () => {
    const before = await asked();
    const flood = Array.from({ length: requests }, () => statusFor(madeUp()));
    const bob = statusFor(secret);
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
    expect(await bob).toBe(200);
    const together = (await asked()) - before;
    // The control: one after the other, each of them is a question.
    const some = requests / 10;
    for (let count = 0; count < some; count += 1) expect(await statusFor(madeUp())).toBe(401);
    const apart = (await asked()) - before - together;
    console.log(`${String(requests)} at once: ${String(together)}; ${String(some)} apart: ${String(apart)}`);
    expect(apart).toBeGreaterThanOrEqual(some);
    expect(together).toBeLessThan(requests / 2);
  });
});
