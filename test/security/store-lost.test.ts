import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeToken, openAccessPlace, runOk } from '../support/access-place.js';
import { openHttpGate, type Place, waitFor } from '../support/gate.js';
import { openPostgresServer, type PostgresServer } from '../support/postgres.js';
import { openRawStdio } from '../support/raw-client.js';
import { runGate } from '../support/run-program.js';

const home = (place: Place): string => place.env['TIDEGATE_HOME'] ?? '';

/** What alice sees over stdio; the words on stderr where the start is refused. */
async function seenByAlice(place: Place): Promise<string> {
  const client = await openRawStdio(place, { protocol: 'legacy' }, '--as', 'agent:alice');
  try {
    const { result = '{}' } = await client.request('tools/list', '');
    const { tools } = JSON.parse(result) as { readonly tools: readonly { readonly name: string }[] };
    return tools.map(({ name }) => name).join(' ');
  } finally {
    await client.close();
  }
}

function removeStore(place: Place): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(join(home(place), `state.db${ending}`), { force: true });
}

describe('a lost store', () => {
  it('[15.8] of SQLite refuses everyone except the operator until it is accepted', async () => {
    const place = openAccessPlace({ builtins: ['*'] }, { default_profile: 'full' });
    expect(await seenByAlice(place)).toContain('Read');
    for (const tool of ['Read', 'Bash', 'Write']) await runOk(place, 'grant', 'agent:alice', tool, '--block');
    expect(await seenByAlice(place)).not.toContain('Read');
    removeStore(place);

    const refused = await runGate(place, ['mcp', '--as', 'agent:alice']);
    expect([refused.status === 0, refused.stderr]).toEqual([false, expect.stringContaining('store.lost')]);
    expect(refused.stderr).toContain('tidegate access accept-store');
    for (const args of [
      ['serve', '--port', '0'],
      ['grant', 'agent:bob', 'Read'],
      ['token', 'list'],
    ]) {
      const ran = await runGate(place, args);
      expect([args[0], ran.status === 0]).toEqual([args[0], false]);
      expect(ran.stderr).toContain('store.lost');
    }
    // Nothing takes the place of the file, so that a copy can be put back.
    expect(existsSync(join(home(place), 'state.db'))).toBe(false);
    const doctor = await runGate(place, ['doctor', '--json']);
    const { checks } = JSON.parse(doctor.stdout) as { readonly checks: readonly { readonly id: string }[] };
    const found = checks.find(({ id }) => id === 'store');
    expect(found).toMatchObject({ state: 'fail' });
    expect(JSON.stringify(found)).toContain('tidegate access accept-store');

    await runOk(place, 'access', 'accept-store');
    expect(await seenByAlice(place)).toContain('Read');
    place.close();
  });

  it('[15.8] control: without the record the blocked agent has the default profile again', async () => {
    const place = openAccessPlace({ builtins: ['*'] }, { default_profile: 'full' });
    await runOk(place, 'grant', 'agent:alice', 'Read', '--block');
    expect(await seenByAlice(place)).not.toContain('Read');
    removeStore(place);
    rmSync(join(home(place), 'known-stores.json'));
    expect(await seenByAlice(place)).toContain('Read');
    place.close();
  });

  it('[15.8] is also refused if an empty or another one replaced it', async () => {
    const [place, other] = [0, 1].map(() =>
      openAccessPlace({ builtins: ['*'] }, { default_profile: 'full' }),
    );
    if (place === undefined || other === undefined) throw new Error('no places');
    for (const one of [place, other]) await runOk(one, 'grant', 'agent:alice', 'Read', '--block');
    removeStore(place);
    const { copyFileSync, writeFileSync } = await import('node:fs');
    writeFileSync(join(home(place), 'state.db'), '', { mode: 0o600 });
    expect((await runGate(place, ['mcp', '--as', 'agent:alice'])).stderr).toContain('store.lost');
    removeStore(place);
    copyFileSync(join(home(other), 'state.db'), join(home(place), 'state.db'));
    expect((await runGate(place, ['mcp', '--as', 'agent:alice'])).stderr).toContain('store.lost');
    place.close();
    other.close();
  });

  describe('of PostgreSQL', () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await openPostgresServer();
    });
    afterAll(() => server.close());

    it('[15.8] closes the running gateway until it is accepted', async () => {
      const url = await server.createDatabase();
      const place = openAccessPlace(
        { builtins: ['*'], store: { kind: 'postgres', url } },
        { default_profile: 'full' },
      );
      await runOk(place, 'grant', 'agent:alice', 'Read', '--block');
      const { secret } = await makeToken(place, '--as', 'agent:alice');
      const gate = await openHttpGate(place);
      const ask = async (token: string): Promise<number> =>
        (await fetch(`${gate.base}/api/tools`, { headers: { authorization: `Bearer ${token}` } })).status;
      expect(await ask(secret)).toBe(200);
      const sql = postgres(url, { max: 1, onnotice: () => {} });
      await sql`drop schema tidegate cascade`;
      await waitFor(
        async () => (await ask(secret)) === 503,
        30_000,
        () => 'it went on',
      );
      // The store makes its tables again; they are not those that held the rights.
      await waitFor(
        async () => {
          const [row] = await sql`select to_regclass('tidegate.zones') is not null as found`;
          await ask(secret);
          return row?.['found'] === true;
        },
        30_000,
        () => 'no tables came',
      );
      expect(await ask(secret)).toBe(503);
      await runOk(place, 'access', 'accept-store');
      await waitFor(
        async () => (await ask(secret)) === 401,
        30_000,
        () => 'it stayed closed',
      );
      await sql.end();
      await gate.close();
      place.close();
    });
  });
});
