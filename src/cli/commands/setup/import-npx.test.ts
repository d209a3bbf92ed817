import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openTypedPlace } from '../../typed.fixture.js';

/** Makes the program appear to be in the package cache of npx. */
const place = vi.hoisted(() => ({ folder: '' }));
vi.mock('../../../workspace/program-file.js', () => ({
  get programFile() {
    return `${place.folder}/node_modules/tidegate/dist/tidegate.js`;
  },
  shimFile: '/nowhere/mcp-serve.cjs',
}));

let typed: ReturnType<typeof openTypedPlace>;
beforeEach(() => {
  typed = openTypedPlace();
  writeFileSync(join(typed.home, '.claude.json'), '{"mcpServers":{"one":{"command":"one-server"}}}');
});
afterEach(() => typed.close());

const install = 'npm install --global ./tidegate-1.2.3.tgz';

it('init says once how to install the command when started with npx', async () => {
  place.folder = '/cache/_npx/0a1b';
  const { code, out } = await typed.type(['init', '--yes']);
  expect(code).toBe(0);
  expect(out.split(install)).toHaveLength(2);
  expect(out.indexOf(install)).toBeGreaterThan(out.indexOf('Wrote and trusted'));
  expect(out.indexOf(install)).toBeLessThan(out.indexOf('Next:'));
  const again = (await typed.type(['init'])).out;
  expect(again.indexOf(install)).toBeGreaterThan(-1);
  expect(again.indexOf(install)).toBeLessThan(again.indexOf('Next: tidegate doctor'));
}, 60_000);

it('import says so after writing, and not if nothing was written', async () => {
  place.folder = '/cache/_npx/0a1b';
  expect((await typed.type(['import', '--dry-run'])).out).not.toContain(install);
  expect((await typed.type(['import', '--yes'])).out.split(install)).toHaveLength(2);
});

it('the control: an installed program does not say so', async () => {
  place.folder = '/usr/lib';
  expect((await typed.type(['init', '--yes'])).out).not.toContain('npm install');
});
