// The rule for an untrusted file: commands that show something show what is left, `serve` serves what is left, and both
// say so. Commands that need something from the file exit with 6. See docs/security.md.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttpGate, openPlace, type Place } from '../support/gate.js';
import { runGate } from '../support/run-program.js';

const servers = { up: { command: 'no-such-program' }, far: { url: 'http://127.0.0.1:9/mcp' } };

let place: Place;
beforeAll(() => {
  place = openPlace({ builtins: ['*'], servers }, { trusted: false });
});
afterAll(() => place.close());

describe('with an untrusted tidegate.yaml', () => {
  it.each([
    ['servers', 0],
    ['servers up', 0],
    ['servers --json', 0],
    ['tools list', 0],
    ['tools search issue', 0],
    ['tools cost', 0],
    ['context', 0],
    ['config check', 0],
    ['doctor', 0],
    ['profile list', 0],
    ['check user:ana Read', 0],
    ['audit', 0],
    ['mcp', 0],
    ['tools show up_thing', 6],
    ['tools call up_thing', 6],
    ['login far', 6],
    ['logout far', 6],
  ])('`%s` exits with %i, and suggests a command', async (words, expected) => {
    const { status, stdout, stderr } = await runGate(place, words.split(' '));
    expect([status, stderr]).toEqual([expected, expect.anything()]);
    expect(stdout + stderr).toMatch(/tidegate trust \S+tidegate\.yaml/);
  });

  it('`tools list` exits with 6 if nothing is left to list, so that scripts notice', async () => {
    const bare = openPlace({ servers }, { trusted: false });
    expect((await runGate(bare, ['tools', 'list'])).status).toBe(6);
    bare.close();
  });

  it('`serve` serves what is left, and says so', async () => {
    const gate = await openHttpGate(place);
    await gate.close();
    expect(gate.said()).toMatch(/tidegate trust \S+tidegate\.yaml/);
  });

  it('the control: once it is trusted, there is no such message', async () => {
    const trusted = openPlace({ servers: {} });
    for (const words of ['servers', 'tools list', 'tools cost', 'context', 'config check']) {
      const { status, stdout, stderr } = await runGate(trusted, words.split(' '));
      expect([words, status, /tidegate trust/.test(stdout + stderr)]).toEqual([words, 0, false]);
    }
    trusted.close();
  });
});
