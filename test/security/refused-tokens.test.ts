import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openAccessPlace, runJson } from '../support/access-place.js';
import { openHttpGate, type Place, waitFor } from '../support/gate.js';

it('[15.50] refused tokens are recorded even if the clock steps back, at close at the latest', async () => {
  const usual = openAccessPlace({ builtins: ['*'] });
  const [clock, sign] = [join(usual.directory, 'clock.mjs'), join(usual.directory, 'back')];
  writeFileSync(
    clock,
    `import { existsSync } from 'node:fs';
    const now = Date.now; Date.now = () => now() - (existsSync(${JSON.stringify(sign)}) ? 3_600_000 : 0);`,
  );
  const NODE_OPTIONS = `--import ${pathToFileURL(clock).href}`;
  const place: Place = { ...usual, env: { ...usual.env, NODE_OPTIONS } };
  const gate = await openHttpGate(place);
  const knock = async (): Promise<void> => {
    const headers = { authorization: `Bearer tg_${'x'.repeat(43)}` };
    expect((await fetch(`${gate.base}/api/tools`, { headers })).status).toBe(401);
  };
  const counts = (): readonly number[] =>
    [...gate.said().matchAll(/"count":(\d+).*"msg":"refused over HTTP/g)].map(([, count]) => Number(count));
  await knock();
  // Control: the first one is told at once.
  await waitFor(
    () => counts().length === 1,
    20_000,
    () => gate.said(),
  );
  writeFileSync(sign, '');
  for (let index = 0; index < 5; index += 1) await knock();
  await gate.close();
  expect(counts().reduce((sum, count) => sum + count, 0)).toBe(6);
  const { records } = await runJson<{ readonly records: readonly unknown[] }>(usual, 'audit', '--denied');
  expect(JSON.stringify(records)).toContain('"count":5');
  usual.close();
}, 120_000);
