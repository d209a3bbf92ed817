import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@cfworker/json-schema';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hasErrors } from '../problem.js';
import { loadEntries } from './entries.js';
import { pluginsJsonSchema } from './json-schema.js';

const folder = mkdtempSync(join(tmpdir(), 'tidegate-plugins-schema-'));
afterAll(() => rmSync(folder, { recursive: true }));

const plugins = new Validator(pluginsJsonSchema(), '2020-12', false);

async function isLoaded(text: string): Promise<boolean> {
  const file = join(folder, 'plugins.yaml');
  writeFileSync(file, text);
  const loaded = await loadEntries(file, { ON: 'true' });
  return loaded !== undefined && !hasErrors(loaded.problems);
}

describe('the JSON Schema of plugins', () => {
  it.each([
    '{}',
    'plugins:',
    'plugins: {a: {path: ./a, config: {n: 1}, env: {A: b}, expose: ["x*", "!y"], timeout: 2m}}',
    'plugins: {a: {type: mcp, url: "https://x.example/mcp", headers: {Authorization: x}, enabled: "${ON}"}}',
    'plugins: {a: {command: node}, b: {command: [node, x.mjs], mtls: false}}',
  ])('accepts what the loader accepts: %s', async (text) => {
    expect(await isLoaded(text)).toBe(true);
    expect(plugins.validate(parse(text)).errors).toEqual([]);
  });

  it.each([
    'plugin: {}',
    'plugins: []',
    'plugins: {a: {path: ./a, type: http}}',
    'plugins: {a: {path: ./a, timeout: soon}}',
    'plugins: {a: {path: ./a, enable: true}}',
  ])('refuses what the loader refuses: %s', async (text) => {
    expect(await isLoaded(text)).toBe(false);
    expect(plugins.validate(parse(text)).valid).toBe(false);
  });
});
