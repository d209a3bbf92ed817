import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTypedPlace } from '../../typed.fixture.js';

let place: ReturnType<typeof openTypedPlace>;
let client: string;
const secret = 'xoxb-madeUpForTests-000000000000-9';
const keep = 'tidegate import --secrets keep';
beforeEach(() => {
  place = openTypedPlace();
  client = join(place.home, '.claude.json');
  has({ SLACK_BOT_TOKEN: secret, SENTRY_TOKEN: '${SENTRY_TOKEN}' });
});
afterEach(() => place.close());

function has(env: Readonly<Record<string, string>>): void {
  writeFileSync(client, JSON.stringify({ mcpServers: { slack: { command: 'slack-server', env } } }));
  chmodSync(client, 0o600);
}

async function nextOf(check: string, ...more: readonly string[]): Promise<string | undefined> {
  const { out } = await place.type(['doctor', '--only', check, '--json', ...more]);
  const { checks } = JSON.parse(out) as {
    readonly checks: readonly { readonly id: string; readonly findings: readonly { next?: string }[] }[];
  };
  return checks.find(({ id }) => id === check)?.findings[0]?.next;
}

it('init and doctor name the command that stores plain-text secrets', async () => {
  const { out } = await place.type(['init', '--yes']);
  expect(out).toContain('SLACK_BOT_TOKEN: the value is in a client file.');
  expect(out).toContain(`  ${keep}\n`);
  expect([await nextOf('config'), await nextOf('config.variables')]).toEqual([keep, keep]);
  // The suggested command works.
  expect((await place.type([...keep.split(' ').slice(1), '--yes'])).out).toContain('Stored SLACK_BOT_TOKEN');
  expect(await nextOf('config.variables')).toBe('tidegate secrets set SENTRY_TOKEN');
  expect(readFileSync(client, 'utf8')).toContain(secret);
}, 60_000);

it('the command is not suggested if no client file has the value', async () => {
  has({ SENTRY_TOKEN: '${SENTRY_TOKEN}' });
  const { out } = await place.type(['init', '--yes']);
  expect(out).toContain('tidegate secrets set SENTRY_TOKEN');
  expect(out).not.toContain('--secrets keep');
  expect(await nextOf('config.variables')).toBe('tidegate secrets set SENTRY_TOKEN');
});

it('the command is not suggested after --point removed the value', async () => {
  const words = ['import', 'claude', '--point', '--yes', '--secrets', 'reference'];
  const { code, out } = await place.type(words);
  expect([code, readFileSync(client, 'utf8').includes(secret)]).toEqual([0, false]);
  expect(out).not.toContain('--secrets keep');
  expect(await nextOf('config.variables')).toBe('tidegate secrets set SLACK_BOT_TOKEN');
});

it('the suggested command keeps --config', async () => {
  place.write('other file.yaml', '# mine\n');
  await place.type(['trust', 'other file.yaml', '--yes']);
  const typed = ['import', 'claude', '--config', 'other file.yaml'];
  const line = "tidegate import claude --config 'other file.yaml' --secrets keep";
  expect((await place.type([...typed, '--yes'])).out).toContain(`  ${line}\n`);
  const file = join(place.folder, 'other file.yaml');
  expect(await nextOf('config.variables', '--config', file)).toBe(
    `tidegate import --secrets keep --config '${file}'`,
  );
  expect((await place.type([...typed, '--secrets', 'keep', '--yes'])).out).toContain(
    'Stored SLACK_BOT_TOKEN',
  );
});
