import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runOk } from '../support/access-place.js';
import { openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { tokenOf } from '../support/raw-client.js';

/** Prints everything it was given on stderr, then ends. */
const talkative = `process.stderr.write('env ' + process.env.GIVEN + '\\n');
process.stderr.write('args ' + process.argv.slice(2).join(' ') + '\\n');
process.stderr.write('that is all\\n');
process.stdin.resume();`;

it('[15.50] values passed to a server as variables and arguments are not in the log', async () => {
  const [inEnv, inArgs] = ['plain-value-7713', 'other-value-9942'];
  const usual = openPlace({ log: { level: 'debug' } }, { trusted: false });
  const place: Place = { ...usual, env: { ...usual.env, PASS: inArgs } };
  const file = join(usual.directory, 'server.mjs');
  writeFileSync(file, talkative);
  place.write({
    log: { level: 'debug' },
    servers: {
      up: {
        command: process.execPath,
        args: [file, '--password=${PASS}', '--mode=ordinary-word'],
        env: { GIVEN: inEnv },
      },
    },
  });
  await runOk(place, 'trust', '--yes');
  const gate = await openHttpGate(place);
  const headers = { authorization: `Bearer ${tokenOf(place)}` };
  void fetch(`${gate.base}/api/tools`, { headers }).catch(() => undefined);
  await waitFor(
    () => gate.said().includes('that is all'),
    60_000,
    () => gate.said(),
  );
  // Control: what the server says is in the log, with arguments that are not secret.
  expect(gate.said()).toContain('--mode=ordinary-word');
  expect(gate.said()).toContain('--password=[redacted]');
  expect(gate.said()).not.toContain(inEnv);
  expect(gate.said()).not.toContain(inArgs);
  await gate.close();
  usual.close();
}, 120_000);
