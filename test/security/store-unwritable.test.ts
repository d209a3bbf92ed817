import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace } from '../support/access-place.js';
import { type HttpGate, openHttpGate, type Place, waitFor } from '../support/gate.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';
import { tokenOf } from '../support/raw-client.js';
import { openScripted, type ScriptedUpstream } from '../support/upstreams.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await openPostgresServer();
}, 120_000);
afterAll(() => server.close());

const refusing = `
  create function tidegate.no_room() returns trigger language plpgsql as $$
  begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
  create trigger no_room before insert or update on tidegate.audit execute function tidegate.no_room();
  create trigger no_room before insert or update on tidegate.zones execute function tidegate.no_room();`;
const taking = 'drop function tidegate.no_room cascade';

/** What a database says that cannot write, and how it comes to be so and ends. */
const cases = [
  { code: 'store.full', sign: '53100', begin: () => refusing, end: () => taking, status: 507 },
  {
    code: 'store.read_only',
    sign: '25006',
    begin: (name: string) => `alter database ${name} set default_transaction_read_only = on; ${dropOthers}`,
    end: (name: string) =>
      `set transaction_read_only = off; alter database ${name} reset default_transaction_read_only; ${dropOthers}`,
    status: 503,
  },
] as const;
const dropOthers =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

describe.each(cases)('a PostgreSQL database that reports $sign', ({ code, sign, begin, end, status }) => {
  let up: ScriptedUpstream;
  let place: Place;
  let gate: HttpGate;
  let url: string;
  let secret: string;

  beforeEach(async () => {
    url = await server.createDatabase();
    up = await openScripted('stdio', 'legacy', {
      lists: { 'tools/list': ['{"name":"a","inputSchema":{"type":"object"}}'] },
      answers: { 'tools/call': { a: { result: '{"content":[{"type":"text","text":"done"}]}' } } },
    });
    place = openAccessPlace({
      servers: { up: up.entry },
      store: { kind: 'postgres', url },
      access: { default_profile: 'full' },
    });
    ({ secret } = await makeToken(place, '--as', 'agent:alice'));
    gate = await openHttpGate(place);
  });
  afterEach(async () => {
    await gate.close();
    place.close();
    await up.close();
  });

  const database = (): string => new URL(url).pathname.slice(1);
  async function tell(text: string): Promise<void> {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    await sql.unsafe(text);
    await sql.end();
  }
  const ask = (token: string, method: string, path: string, body = '{}'): Promise<Response> =>
    fetch(gate.base + path, { method, headers: { authorization: `Bearer ${token}` }, body });
  const callBy = async (token: string): Promise<number> =>
    (await ask(token, 'POST', '/api/tools/up_a/call')).status;
  const revoke = (): Promise<Response> =>
    ask(tokenOf(place), 'DELETE', '/api/grants', '{"principal":"agent:alice","what":"up_a","block":true}');

  it('[15.46] leaves only the operator with access until a write works again', async () => {
    // The control: as long as rights can be taken back, they hold.
    for (let index = 0; index < 3; index += 1) expect(await callBy(secret)).toBe(200);
    await tell(begin(database()));
    await waitFor(
      async () => (await callBy(secret)) !== 200 && gate.said().includes(code),
      15_000,
      () => `calls stayed allowed: ${gate.said()}`,
    );
    for (let index = 0; index < 5; index += 1) expect(await callBy(secret)).not.toBe(200);
    expect(await callBy(tokenOf(place))).toBe(200);
    expect(gate.said()).toContain(sign);
    const refused = await revoke();
    const said = await refused.text();
    expect([refused.status, said]).toEqual([status, expect.stringContaining(code)]);
    expect(said).toContain(sign);
    await tell(end(database()));
    await waitFor(
      async () => (await callBy(secret)) === 200,
      20_000,
      () => `access stayed closed: ${gate.said()}`,
    );
  });

  it('[15.46] closes access with the first revoke that it refuses', async () => {
    expect(await callBy(secret)).toBe(200);
    await tell(begin(database()));
    expect((await revoke()).status).toBe(status);
    expect(await callBy(secret)).not.toBe(200);
    await tell(end(database()));
    await waitFor(
      async () => (await callBy(secret)) === 200,
      20_000,
      () => gate.said(),
    );
  });
});
