// `node bench/lazy-tools/run.mjs [--page]`: what the tools of 120 real MCP servers cost a client of the built program, in
// tokens (o200k) of the definitions that a model is shown: everything listed, found tools listed, through call_tool.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { sections } from '../sections.mjs';
import { tokensText } from './section.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = join(root, 'dist', 'tidegate.js');
const fixture = join(root, 'test', 'fixtures', 'servers', 'catalogue-server.mjs');
const set = 'toolsearch/mcp-tools/tools.jsonl';
const listChanged = 'notifications/tools/list_changed';
const leading = ['tool_search', 'call_tool', 'wait_for_servers'];
const needs = [
  'create an issue',
  'send a message',
  'query a database',
  'read a web page',
  'list deployments',
  'search documents',
];

async function main() {
  const data = process.env.TIDEGATE_TESTDATA;
  if (data === undefined) {
    console.log(`skipped: set TIDEGATE_TESTDATA to the folder that contains ${set}`);
    return;
  }
  const place = openPlace(readFileSync(join(data, set), 'utf8'));
  try {
    const rows = await measure(place);
    console.table(rows);
    if (process.argv.includes('--page')) {
      const file = join(root, 'docs', 'benchmarks.md');
      await writeFile(file, sections.tokens.into(readFileSync(file, 'utf8'), tokensText({ ...place, rows })));
      console.log('wrote docs/benchmarks.md');
    }
  } finally {
    rmSync(place.directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function openPlace(text) {
  const directory = mkdtempSync(join(tmpdir(), 'tidegate-lazy-tools-'));
  mkdirSync(join(directory, 'catalogues'));
  const byServer = new Map();
  for (const line of text.split('\n').filter(Boolean)) {
    const { name, server, description, inputSchema } = JSON.parse(line);
    const own = byServer.get(server) ?? new Map();
    own.set(name, { name, description, inputSchema });
    byServer.set(server, own);
  }
  const servers = {};
  for (const [server, tools] of byServer) {
    const name = server.replaceAll(/[^\w.-]/g, '_').slice(0, 60);
    const file = join(directory, 'catalogues', `${name}.json`);
    writeFileSync(file, JSON.stringify([...tools.values()]));
    servers[name] = { command: process.execPath, args: [fixture], env: { CATALOGUE_FILE: file } };
  }
  const configFile = join(directory, 'tidegate.yaml');
  writeFileSync(configFile, JSON.stringify({ builtins: leading, servers }));
  const env = { PATH: process.env.PATH, HOME: directory, TIDEGATE_HOME: join(directory, 'state') };
  const run = (...args) =>
    execFileSync(process.execPath, [program, ...args], {
      cwd: directory,
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  run('trust', '--yes', configFile);
  // List every server once, so that all of them are known to each client.
  run('tools', 'list', '--json');
  const count = [...byServer.values()].reduce((sum, own) => sum + own.size, 0);
  return { directory, configFile, env, servers: byServer.size, tools: count };
}

async function measure(place) {
  const eager = await withClient(place, 'claude-code', (client) => client.tools());
  const atFirst = await withClient(place, 'opencode', (client) => client.tools());
  const callTool = await withClient(place, 'somebody', async (client) => {
    for (const need of needs) await client.search(need);
    return client.tools();
  });
  const full = await withClient(place, 'opencode', async (client) => {
    for (const need of needs) await client.search(need, 5);
    return client.tools();
  });
  return {
    'everything listed': cost(eager),
    'list, nothing found yet': cost(atFirst),
    'list, all slots used': cost(full),
    call_tool: cost(callTool),
  };
}

function cost(tools) {
  const texts = tools.map(({ name, description, inputSchema }) =>
    JSON.stringify({ name: `mcp__tidegate__${name}`, description, input_schema: inputSchema }),
  );
  return {
    tools: tools.length,
    active: tools.filter(({ name }) => !leading.includes(name)).length,
    tokens: texts.reduce((sum, text) => sum + countTokens(text), 0),
  };
}

async function withClient(place, name, work) {
  const client = new Client({ name, version: '1.0.0' });
  client.fallbackNotificationHandler = async ({ method }) => {
    if (method === listChanged) await client.listTools();
  };
  const args = [program, 'mcp', '--config', place.configFile];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      env: place.env,
      cwd: place.directory,
      stderr: 'ignore',
    }),
  );
  try {
    return await work({
      tools: () => allTools(client),
      search: (query, max_results = 5) =>
        client.callTool({ name: 'tool_search', arguments: { query, max_results } }),
    });
  } finally {
    await client.close();
  }
}

async function allTools(client) {
  const all = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    all.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

await main();
