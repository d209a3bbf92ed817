// docs/reference/openapi.json: the admin API, from the table that its router uses.
import { readFile } from 'node:fs/promises';
import { loadTs } from '../load-ts.mjs';

const manifest = new URL('../../package.json', import.meta.url);

export async function outputs() {
  const { openApi } = await loadTs('src/transports/admin-api/routes.ts');
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const text = `${JSON.stringify(openApi(version), undefined, 2)}\n`;
  return [{ path: 'docs/reference/openapi.json', text }];
}
