import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/index.js';
import { openTypedPlace } from '../../typed.fixture.js';
import { configRisks } from './trust-config.js';

let typed: ReturnType<typeof openTypedPlace>;
beforeEach(() => {
  typed = openTypedPlace();
  typed.write('tidegate.yaml', 'servers: { a: { command: x } }\n');
});
afterEach(() => typed.close());

describe('tidegate trust', () => {
  it.each(['n', '', 'maybe'])('treats the answer "%s" as no, and changes nothing', async (answer) => {
    const { code, err } = await typed.type(['trust'], '.', answer);
    expect(code).toBe(6);
    expect(err).toContain('error trust.refused: Nothing was trusted.\nnext: Nothing was changed.');
    expect((await typed.type(['trust', '--list'])).out).toBe('');
  });

  it('accepts yes', async () => {
    expect(await typed.type(['trust'], '.', 'yes')).toMatchObject({ code: 0, err: '' });
    expect((await typed.type(['trust', '--list'])).out).toContain('tidegate.yaml');
  });

  it('refuses a file that changed after it was read', async () => {
    const file = `${typed.folder}/tidegate.yaml`;
    const before = await loadConfig({ file, env: {}, home: typed.folder });
    typed.write('tidegate.yaml', 'servers: { a: { command: y } }\n');
    const located = { ...before, file, folder: typed.folder, isTrusted: false };
    await expect(configRisks(located, { env: {} })).rejects.toMatchObject({
      code: 'trust.changed',
      exit: 6,
      next: 'tidegate trust',
    });
  });
});
