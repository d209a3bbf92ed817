import { chmodSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTypedPlace } from '../../typed.fixture.js';

let typed: ReturnType<typeof openTypedPlace>;
beforeEach(() => {
  typed = openTypedPlace();
});
afterEach(() => typed.close());

interface Finding {
  readonly state: string;
  readonly detail: string;
  readonly next?: string;
  readonly more?: readonly string[];
}

async function findings(id: string, ...words: readonly string[]): Promise<readonly Finding[]> {
  const { out } = await typed.type(['doctor', '--only', id, '--json', ...words]);
  const { checks } = JSON.parse(out) as { checks: readonly { id: string; findings: readonly Finding[] }[] };
  return checks.find((check) => check.id === id)?.findings ?? [];
}

const yaml = `servers:
  one: {command: x, env: {A_TOKEN: "\${A_TOKEN}"}}
  two: {command: x, env: {B_TOKEN: "\${B_TOKEN}"}}
  three: {command: x}
`;
const set = 'tidegate secrets set A_TOKEN';

describe('a file whose variables are not set', () => {
  it('is not ok, and doctor suggests a command', async () => {
    typed.write('tidegate.yaml', yaml);
    const [config] = await findings('config');
    expect(config).toMatchObject({ state: 'fail', next: set });
    expect(config?.detail).toContain('2 variables are not set');
    const [variables] = await findings('config.variables');
    expect(variables).toMatchObject({ state: 'fail', detail: 'not set: A_TOKEN, B_TOKEN', next: set });
    // The control: without them it is ok.
    typed.write('tidegate.yaml', 'servers: {three: {command: x}}\n');
    expect(await findings('config')).toMatchObject([{ state: 'ok' }]);
  });

  it('is refused with the names and the next command', async () => {
    typed.write('tidegate.yaml', yaml);
    const { code, err } = await typed.type(['mcp']);
    expect(code).not.toBe(0);
    expect(err).toContain('error config.invalid: Nothing was started: A_TOKEN, B_TOKEN have no value.');
    expect(err).toContain(`next: ${set}`);
  });
});

describe.skipIf(process.platform === 'win32')('a state directory that others have rights to', () => {
  it.each([0o755, 0o770])('is made private by --fix if it contains only Tidegate files', async (mode) => {
    for (const name of ['secrets.json', 'import.lock', 'trust.json'])
      writeFileSync(join(typed.home, name), '{}', { mode: 0o600 });
    chmodSync(typed.home, mode);
    expect(await findings('home')).toMatchObject([{ next: `chmod 700 ${typed.home}` }]);
    await findings('home', '--fix');
    expect(statSync(typed.home).mode & 0o777).toBe(0o700);
  });

  it('is not changed if it contains other files, with the reason', async () => {
    writeFileSync(join(typed.home, 'notes.txt'), '');
    chmodSync(typed.home, 0o755);
    const [finding] = await findings('home', '--fix');
    expect(finding?.next).toBe(`chmod 700 ${typed.home}`);
    expect(finding?.more?.join()).toContain('also contains notes.txt, which Tidegate did not create');
    expect(statSync(typed.home).mode & 0o777).toBe(0o755);
  });
});
