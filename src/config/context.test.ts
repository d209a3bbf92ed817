import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Config, loadConfig } from './index.js';

async function load(text: string): Promise<{ readonly config: Config; readonly found: readonly string[] }> {
  const file = join('/workspace', 'tidegate.yaml');
  const { config, problems } = await loadConfig({ file, text, env: { KEY: 'k' }, home: '/home/ada' });
  const found = problems.map(({ code, severity, line, path }) => `${line} ${severity} ${code} ${path}`);
  return { config, found };
}

describe('the context settings', () => {
  it('defer above 10,000 tokens, with 24 active tools of 5,000 by default', async () => {
    const { config, found } = await load('');
    expect(found).toEqual([]);
    expect(config.context).toMatchObject({
      lazy: 'auto',
      delivery: 'auto',
      maxActiveSchemas: 24,
      maxActiveTokens: 5000,
      deferAboveTokens: 10_000,
      hold: 3000,
      inheritActive: true,
      pin: [],
    });
  });

  it('are read completely', async () => {
    const { config, found } = await load(`
context:
  lazy: on
  pin: github_get_*
  clients: { my agent: { delivery: list } }
  search_hints: { crm_upsert: [add a customer] }
  synonyms: [[ticket, issue]]
  embeddings: { url: "http://127.0.0.1:1/v1", model: m, key: "\${KEY}" }
servers: { a: { command: x, lazy: false } }`);
    expect(found).toEqual([]);
    expect(config.context).toMatchObject({
      lazy: 'on',
      pin: ['github_get_*'],
      clients: { 'my agent': { delivery: 'list' } },
      searchHints: { crm_upsert: ['add a customer'] },
      synonyms: [['ticket', 'issue']],
      embeddings: { url: 'http://127.0.0.1:1/v1', model: 'm', key: 'k' },
    });
    expect(config.servers[0]?.isLazy).toBe(false);
  });

  it.each([
    ['tools: { lazy_mcp: true }', 'on'],
    ['tools: { lazy_mcp: false }', 'off'],
  ])('given as %j are %s', async (text, lazy) => {
    const { config, found } = await load(text);
    expect(found).toEqual([]);
    expect(config.context.lazy).toBe(lazy);
  });

  it.each([
    ['context: { max_active_schemas: 0, lazy: on }', '1 warning config.bad_value context.max_active_schemas'],
    [
      'tools: { max_active_schemas: 0, lazy_mcp: true }',
      '1 warning config.bad_value tools.max_active_schemas',
    ],
  ])('given as %j defer nothing, with a warning', async (text, expected) => {
    const { config, found } = await load(text);
    expect(found).toEqual([expected]);
    expect(config.context.lazy).toBe('off');
  });

  it.each([
    ['context: { lazy: maybe }', '1 error config.bad_value context.lazy'],
    ['context: { max_active_schema: 3 }', '1 error config.unknown_key context.max_active_schema'],
    ['context: { max_active_tokens: 5 }', '1 error config.bad_value context.max_active_tokens'],
    ['context: { embeddings: { url: "http://x" } }', '1 error config.missing context.embeddings'],
    ['tools: { lazy_mcp: true }\ncontext: { lazy: off }', '1 warning config.bad_value tools.lazy_mcp'],
  ])('given as %j are %s', async (text, expected) => {
    expect((await load(text)).found).toEqual([expected]);
  });
});
