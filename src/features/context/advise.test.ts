import { describe, expect, it } from 'vitest';
import type { ExposureSettings } from '../../exposure/index.js';
import { type AdviceFacts, advise } from './advise.js';
import type { ServerSum, ToolCost } from './cost.js';

const settings: ExposureSettings = {
  lazy: 'auto',
  delivery: 'auto',
  maxActiveSchemas: 24,
  maxActiveTokens: 5000,
  deferAboveTokens: 10_000,
  pin: ['Keep'],
  holdMs: 0,
  inheritActive: true,
  clients: new Map(),
  servers: new Map(),
};

function tool(
  name: string,
  tokens: number,
  calls: number | undefined,
  more: Partial<ToolCost> = {},
): ToolCost {
  const server = name.split('_')[0] ?? '';
  const made = { name, server, source: `server:${server}`, tokens, isEager: true };
  const listed = { isAlwaysListed: false, isListedNow: false };
  return { ...made, ...listed, ...(calls !== undefined && { calls }), ...more };
}

function facts(tools: readonly ToolCost[], more: Partial<AdviceFacts> = {}): AdviceFacts {
  const servers: readonly ServerSum[] = [...new Set(tools.map(({ server }) => server))].map((server) => {
    const own = tools.filter((one) => one.server === server);
    const sum = (of: (one: ToolCost) => number): number => own.reduce((all, one) => all + of(one), 0);
    const base = {
      server,
      source: `server:${server}`,
      tools: own.length,
      eager: sum(({ tokens }) => tokens),
    };
    const lazy = sum(({ tokens, isAlwaysListed }) => (isAlwaysListed ? tokens : 0));
    const calls = own[0]?.calls === undefined ? undefined : sum((one) => one.calls ?? 0);
    return { ...base, lazy, ...(calls !== undefined && { calls }) };
  });
  const tokens = servers.reduce((sum, { eager }) => sum + eager, 0);
  const all = { tools: tools.length, tokens };
  const none = { tools: 0, tokens: 0 };
  const mode = { mode: 'call_tool', defersItself: false } as const;
  const amounts = { eager: all, lazy: none, now: none };
  return { settings, ...mode, ...amounts, servers, tools, prefixes: new Map([['git', 'git_']]), ...more };
}

describe('advice on tokens', () => {
  it('suggests pinning small tools with frequent calls, and shows the cost', () => {
    const tools = [tool('git_log', 90, 12), tool('git_big', 900, 40), tool('git_rare', 90, 2)];
    expect(advise(facts(tools, { uses: { records: 54 } }))).toEqual([
      expect.objectContaining({
        kind: 'pin',
        what: ['git_log'],
        saves: -90,
        setting: 'context.pin: ["Keep","git_log"]',
      }),
    ]);
  });

  it('suggests no pins or drops without recorded calls, and no drops with few', () => {
    expect(advise(facts([tool('git_log', 90, undefined)]))).toEqual([]);
    expect(advise(facts([tool('git_log', 900, 0)], { uses: { records: 49 } }))).toEqual([]);
  });

  it('suggests dropping servers and expensive tools that were never called', () => {
    const listed = { isListedNow: true };
    const tools = [
      tool('git_log', 90, 60, listed),
      tool('git_huge', 700, 0, listed),
      tool('mail_send', 300, 0, listed),
    ];
    const found = advise(facts(tools, { mode: 'eager', uses: { records: 60 } }));
    expect(found.map(({ kind, setting, saves }) => [kind, setting, saves])).toEqual([
      ['drop', 'servers.mail.enabled: false', 300],
      ['drop', 'servers.git.tools: ["!huge"]', 700],
    ]);
  });

  it('suggests deferring when too much is listed, and for servers listed in full by their own setting', () => {
    const tools = [tool('git_log', 12_000, undefined, { isAlwaysListed: true })];
    const off = { ...settings, lazy: 'off' } as const;
    const now = { tools: 1, tokens: 12_000 };
    expect(advise(facts(tools, { mode: 'eager', settings: off, now }))).toEqual([
      expect.objectContaining({ kind: 'defer', setting: 'context.lazy: auto', saves: 12_000 }),
    ]);
    const whole = { ...settings, servers: new Map([['git', false]]) };
    expect(advise(facts(tools, { settings: whole }))).toEqual([
      expect.objectContaining({ kind: 'defer', setting: 'servers.git.lazy: true', saves: 12_000 }),
    ]);
    expect(advise(facts(tools, { mode: 'eager', settings: off, now, defersItself: true }))).toEqual([]);
  });
});
