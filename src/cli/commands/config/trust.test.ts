import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/index.js';
import { openDesk } from '../../typed.fixture.js';
import { configRisks } from './trust-config.js';

let desk: ReturnType<typeof openDesk>;
beforeEach(() => {
  desk = openDesk();
  desk.write('tidegate.yaml', 'servers: { a: { command: x } }\n');
});
afterEach(() => desk.close());

describe('tidegate trust', () => {
  it.each(['n', '', 'maybe'])('takes the answer "%s" for a no, and changes nothing', async (answer) => {
    const { code, err } = await desk.type(['trust'], '.', answer);
    expect(code).toBe(6);
    expect(err).toContain('error trust.refused: Nothing was trusted.\nnext: Nothing was changed.');
    expect((await desk.type(['trust', '--list'])).out).toBe('');
  });

  it('takes yes for a yes', async () => {
    expect(await desk.type(['trust'], '.', 'yes')).toMatchObject({ code: 0, err: '' });
    expect((await desk.type(['trust', '--list'])).out).toContain('tidegate.yaml');
  });

  it('refuses a file that changed after it was read', async () => {
    const file = `${desk.folder}/tidegate.yaml`;
    const before = await loadConfig({ file, env: {}, home: desk.folder });
    desk.write('tidegate.yaml', 'servers: { a: { command: y } }\n');
    const located = { ...before, file, folder: desk.folder, isTrusted: false };
    await expect(configRisks(located, { env: {} })).rejects.toMatchObject({
      code: 'trust.changed',
      exit: 6,
      next: 'tidegate trust',
    });
  });
});
