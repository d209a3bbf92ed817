import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogueServer, type Definition, manyTools } from '../support/catalogue.js';
import { openPlace, type Place } from '../support/gate.js';
import { hasTerminals, openTerminal } from '../support/terminal.js';

const hostile: Definition = {
  name: 'odd',
  description: `<|endoftext|> \u001b[31m${'z'.repeat(40_000)}`,
  inputSchema: { type: 'object' },
};
const small: Definition = { name: 'ping', description: 'Answer.', inputSchema: { type: 'object' } };
/** A realistic server. */
const filesystemServer = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
);
const own = ['tool_search', 'call_tool', 'wait_for_servers'];

interface Report {
  readonly counted: string;
  readonly mode: string;
  readonly eager: { readonly tools: number; readonly tokens: number };
  readonly lazy: { readonly tools: number; readonly tokens: number; readonly instructions: number };
  readonly now: { readonly tools: number; readonly tokens: number };
  readonly servers: readonly {
    readonly server: string;
    readonly tools: number;
    readonly eager: number;
    readonly lazy: number;
  }[];
  readonly tools: readonly { readonly name: string; readonly tokens: number; readonly calls?: number }[];
  readonly uses?: { readonly records: number };
  readonly advice: readonly { readonly kind: string; readonly setting: string }[];
}

let place: Place;
beforeAll(() => {
  const files = { command: process.execPath, args: [filesystemServer, tmpdir()] };
  const servers = { office: catalogueServer(manyTools), odd: catalogueServer([hostile, small]), files };
  place = openPlace({ builtins: own, servers });
});
afterAll(() => place.close());

function cost(...more: readonly string[]): Report {
  const { status, stdout, stderr } = place.run('tools', 'cost', '--json', ...more);
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Report;
}

describe('a server with one of our names', () => {
  it('has its own row in tools cost and context', () => {
    const servers = { search: catalogueServer([small]), builtin: catalogueServer([small]) };
    const named = openPlace({ builtins: own, servers });
    const rows = (...words: readonly string[]): readonly (readonly [string, number])[] => {
      const { servers: shown } = JSON.parse(named.run(...words, '--json').stdout) as Report;
      return shown.map(({ server, tools }) => [server, tools] as const).sort();
    };
    const ofServers = [
      ['server:builtin', 1],
      ['server:search', 1],
    ] as const;
    try {
      expect(rows('tools', 'cost')).toEqual([['search', 3], ...ofServers]);
      expect(rows('context')).toEqual(ofServers);
    } finally {
      named.close();
    }
  });
});

describe('tidegate tools cost', () => {
  it('counts with the tokenizer what a model sees, whatever a server sends', () => {
    const { counted, tools, eager, servers } = cost('--exact');
    expect(counted).toBe('o200k_base');
    const { tools: listed } = JSON.parse(place.run('tools', 'list', '--json').stdout) as {
      readonly tools: readonly Definition[];
    };
    expect(listed.filter(({ name }) => name.startsWith('files_')).length).toBeGreaterThan(10);
    for (const { name, description, inputSchema } of listed.filter((one) => one.name !== 'odd_odd')) {
      const right = countTokens(JSON.stringify({ name, description, input_schema: inputSchema }));
      expect([name, tools.find((tool) => tool.name === name)?.tokens]).toEqual([name, right]);
    }
    expect(tools.find(({ name }) => name === 'odd_odd')?.tokens).toBeGreaterThan(1000);
    expect(eager.tools).toBe(listed.length - own.length);
    expect(eager.tokens).toBe(servers.reduce((sum, server) => sum + server.eager, 0));
  });

  it('leaves out the search tools if nothing is deferred', () => {
    const plain = openPlace({ builtins: ['*'] });
    try {
      const { servers, tools } = JSON.parse(plain.run('tools', 'cost', '--json').stdout) as Report;
      expect(servers.map(({ server }) => server)).toEqual(['builtin']);
      expect(tools.map(({ name }) => name)).not.toContain('tool_search');
    } finally {
      plain.close();
    }
  });

  it('lists the search tools separately, so that the rows add up to the totals', () => {
    const mixed = openPlace({
      builtins: ['Read', 'Glob', ...own],
      servers: { odd: catalogueServer([small]) },
    });
    try {
      const { stdout } = mixed.run('tools', 'cost', '--json');
      const { servers, eager } = JSON.parse(stdout) as Report;
      const rows = servers.map(({ server, tools }) => [server, tools]);
      expect(Object.fromEntries(rows)).toEqual({ builtin: 2, odd: 1, search: 3 });
      expect(eager.tools).toBe(3);
      expect(mixed.run('tools', 'cost').stdout).toMatch(/^search +3 +- +\d+ +0 %/m);
    } finally {
      mixed.close();
    }
  });

  it('compares the current lazy list with all tools', () => {
    const { counted, mode, eager, lazy, now, uses, advice } = cost();
    expect([counted, mode, uses, advice]).toEqual(['estimate', 'call_tool', undefined, []]);
    expect([lazy.tools, now.tools]).toEqual([3, 3]);
    expect(lazy.instructions).toBeGreaterThan(0);
    expect(lazy.tokens).toBeLessThan(eager.tokens / 10);
    expect(place.run('context', '--json').stdout).toContain(`"tokens": ${String(now.tokens)}`);
  });

  it('shows one server, most expensive tools first, within the terminal width', async () => {
    const { stdout } = place.run('tools', 'cost', '--server', 'office', '--top', '3');
    expect(stdout).toMatch(/^FROM +TOOLS +EAGER +LAZY +SHARE\noffice +48 +[\d,]+ +- +\d+ % {2}#+\n\nTOOL/);
    expect(stdout).toContain('and 45 more: --top 48');
    expect(stdout).toContain('No calls have been recorded yet');
    expect(place.run('tools', 'cost', '--server', 'offce').stderr).toContain('Did you mean "office"?');
    expect(place.run('tools', 'cost', '--top', 'x').status).toBe(2);
    if (!hasTerminals) return;
    const terminal = openTerminal({
      args: ['tools', 'cost'],
      cwd: `${place.directory}/workspace`,
      env: place.env,
      columns: 60,
    });
    await terminal.ended;
    expect(terminal.text()).toContain('█');
    const widest = Math.max(
      ...terminal
        .text()
        .split('\n')
        .map((line) => line.length),
    );
    expect(widest).toBeLessThanOrEqual(60);
  });

  it('suggests pins from the records of the given principal', () => {
    for (let call = 0; call < 3; call += 1) place.run('tools', 'call', 'odd_ping');
    const { uses, tools, advice } = cost();
    expect(uses?.records).toBe(3);
    expect(tools.find(({ name }) => name === 'odd_ping')?.calls).toBe(3);
    expect(advice).toEqual([expect.objectContaining({ kind: 'pin', setting: 'context.pin: ["odd_ping"]' })]);
    const alice = cost('--as', 'agent:alice', '--profile', 'minimal');
    expect([alice.uses?.records, alice.tools.some(({ name }) => name === 'odd_ping')]).toEqual([0, false]);
    // Calls with another configuration file don't count.
    const other = join(place.directory, 'workspace', 'other.yaml');
    cpSync(place.configFile, other);
    expect(place.run('trust', '--yes', other).status).toBe(0);
    expect(cost('--config', other)).toMatchObject({ uses: { records: 0 }, advice: [] });
  });
});
