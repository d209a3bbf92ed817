import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Client, Session, Source, ToolSpec } from '../core/index.js';
import { createCancellation } from '../lib/cancellation.js';
import { JsonText } from '../lib/json-text.js';
import { visibleToolsOf } from '../../test/support/gateway.js';
import { createLazyExposure } from './lazy-exposure.js';
import type { ExposureSettings } from './settings.js';

const session: Session = { id: 's', principal: { kind: 'user', id: 'a', zone: 'z' }, scope: 'connection' };
const child: Session = { ...session, id: 's.1', parentSession: 's' };

function tool(name: string, source: Source = 'server:one', words = 'Does it.'): ToolSpec {
  const definition = JsonText.from({ name, description: words, inputSchema: { type: 'object' } });
  return { kind: 'tool', name, localName: name, source, effect: 'read', hints: {}, definition };
}

const leads = ['tool_search', 'call_tool', 'wait_for_servers'].map((name) => tool(name, 'builtin'));
const read = tool('Read', 'builtin');
const many = 'a b c d e f g h i j k l'.split(' ').map((name) => tool(name));
const visible = visibleToolsOf([...leads, read, ...many]);

function client(name: string, protocol: Client['protocol'] = 'legacy'): Client {
  return {
    protocol,
    protocolVersion: '2025-11-25',
    capabilities: JsonText.from({}),
    info: JsonText.from({ name }),
  };
}

const growing = client('opencode');

const usual: ExposureSettings = {
  lazy: 'on',
  delivery: 'auto',
  maxActiveSchemas: 24,
  maxActiveTokens: 5000,
  deferAboveTokens: 10_000,
  pin: [],
  holdMs: 3000,
  inheritActive: true,
  clients: new Map(),
  servers: new Map(),
};

function open(settings: Partial<ExposureSettings> = {}) {
  const said: string[] = [];
  const exposure = createLazyExposure({
    settings: { ...usual, ...settings },
    log: (message) => void said.push(message),
  });
  const shown = (of: Session = session, from = visible, by = growing): string =>
    exposure
      .show(of, from, by)
      .map(({ name }) => name)
      .join(' ');
  return { exposure, shown, said };
}

const lead = 'tool_search call_tool wait_for_servers Read';

describe('the tools that a session is shown', () => {
  it('are the full, identical list without a client', () => {
    const { exposure } = open();
    const list = exposure.show(session, visible);
    expect(list).toEqual([read, ...many]);
    expect(exposure.show(session, visible)).toBe(list);
  });

  it('are the search tools, built-in tools and active tools, newest last', () => {
    const { exposure, shown } = open();
    expect(shown()).toBe(lead);
    exposure.activate(session, [many[5], many[1]] as ToolSpec[], visible);
    expect(shown()).toBe(`${lead} f b`);
    exposure.called(session, many[0] as ToolSpec, visible, growing);
    expect(shown()).toBe(`${lead} f b a`);
  });

  it('are the same list object as long as nothing changed', () => {
    const { exposure } = open();
    exposure.activate(session, many.slice(0, 1), visible);
    const list = exposure.show(session, visible, growing);
    exposure.called(session, many[0] as ToolSpec, visible, growing);
    expect(exposure.show(session, visible, growing)).toBe(list);
  });

  it('are all tools if search is not available, or if little would be deferred', () => {
    expect(open().shown(session, visibleToolsOf([read, ...many]))).toBe('Read a b c d e f g h i j k l');
    expect(open({ lazy: 'auto' }).shown()).toBe('Read a b c d e f g h i j k l');
    expect(open({ lazy: 'auto', deferAboveTokens: 10 }).shown()).toBe(lead);
    expect(
      open({ lazy: 'auto', deferAboveTokens: 10 }).shown(
        session,
        visibleToolsOf([...leads, read, ...many.slice(0, 9)]),
      ),
    ).toBe('Read a b c d e f g h i');
  });

  it('are all tools once search has failed, and clients with a shorter list are notified', () => {
    const { exposure, shown, said } = open();
    const told: string[] = [];
    exposure.onChange((id) => told.push(id));
    expect(shown()).toBe(lead);
    exposure.showEverything('no index');
    exposure.showEverything('no index');
    expect(shown()).toBe('Read a b c d e f g h i j k l');
    expect([told, said.length]).toEqual([['s'], 1]);
  });

  it('depend on a trial unless configured', () => {
    const modern = client('claude-code', 'modern');
    const { exposure, shown } = open();
    exposure.prefer(session, { lazy: 'on' });
    exposure.prefer(session, { learned: 'list' });
    exposure.activate(session, [many[5]] as ToolSpec[], visible);
    expect(shown(session, visible, modern)).toBe(`${lead} f`);
    const strict = open({ delivery: 'call_tool' });
    strict.exposure.prefer(session, { learned: 'list' });
    strict.exposure.activate(session, [many[5]] as ToolSpec[], visible);
    expect(strict.shown(session, visible, modern)).toBe(lead);
  });

  it('never change for clients with protocol version 2026-07-28 or clients that ignore notifications', () => {
    for (const by of [client('opencode', 'modern'), client('somebody'), client('codex-mcp-client')]) {
      const { exposure, shown } = open();
      expect(shown(session, visible, by)).toBe(lead);
      exposure.activate(session, many.slice(0, 2), visible);
      expect(shown(session, visible, by)).toBe(lead);
      expect(exposure.mode(session, visible)).toBe('call_tool');
    }
  });

  it('follow the settings for the client, and those of the session', () => {
    const clients = new Map([
      ['somebody', { delivery: 'list' as const }],
      ['opencode', { lazy: 'off' as const }],
    ]);
    const { exposure, shown } = open({ clients });
    expect(shown()).toBe('Read a b c d e f g h i j k l');
    shown(session, visible, client('somebody'));
    expect(exposure.mode(session, visible)).toBe('list');
    exposure.prefer(session, { delivery: 'call_tool' });
    expect(exposure.mode(session, visible)).toBe('call_tool');
  });

  it('always include pins and servers that are not lazy, which take no slot', () => {
    const other = tool('z', 'server:two');
    const { exposure, shown } = open({
      pin: ['c', '?x'],
      servers: new Map([['two', false]]),
      maxActiveSchemas: 1,
    });
    const all = visibleToolsOf([...visible.list, other]);
    expect(shown(session, all)).toBe(`${lead} c z`);
    exposure.activate(session, [many[2], other, many[0]] as ToolSpec[], all);
    expect(shown(session, all)).toBe(`${lead} c z a`);
  });

  it('lose tools that are no longer visible, with one message', () => {
    const { exposure, shown } = open();
    shown();
    exposure.activate(session, many.slice(0, 3), visible);
    const fewer = visibleToolsOf(visible.list.filter(({ name }) => name !== 'b'));
    expect(shown(session, fewer)).toBe(`${lead} a c`);
    expect(exposure.active(session, fewer).gone).toEqual(['b']);
    expect(exposure.active(session, fewer).gone).toEqual([]);
    expect(shown()).toBe(`${lead} a c`);
  });

  it('cause a notification only for affected clients, and only if something changed', () => {
    const { exposure, shown } = open();
    const told: string[] = [];
    exposure.onChange((id) => void told.push(id));
    shown();
    exposure.activate(session, many.slice(0, 1), visible);
    exposure.activate(session, many.slice(0, 1), visible);
    expect(told).toEqual(['s']);
  });
});

describe('a sub-agent', () => {
  it('starts with the active tools of its parent that it can see, and then has its own', () => {
    const { exposure, shown } = open();
    shown();
    exposure.activate(session, many.slice(0, 3), visible);
    const fewer = visibleToolsOf(visible.list.filter(({ name }) => name !== 'b'));
    expect(shown(child, fewer)).toBe(`${lead} a c`);
    exposure.activate(child, many.slice(5, 6), fewer);
    expect(shown(child, fewer)).toBe(`${lead} a c f`);
    expect(shown()).toBe(`${lead} a b c`);
  });

  it('is recognized by the credential that its own was derived from', () => {
    const { exposure, shown } = open();
    const link = { principal: session.principal, rights: 'own', tokenId: 'p' } as const;
    const parent: Session = { ...session, id: 'p', chain: [link] };
    const heir: Session = {
      ...session,
      id: 'c',
      chain: [link, { ...link, rights: 'inherited', tokenId: 'c' }],
    };
    shown(parent);
    exposure.activate(parent, many.slice(0, 2), visible);
    expect(shown(heir)).toBe(`${lead} a b`);
    const last = { ...link, rights: 'inherited', tokenId: 'd', inheritsActive: false } as const;
    expect(shown({ ...session, id: 'd', chain: [link, last] })).toBe(lead);
  });

  it('starts without active tools if configured', () => {
    const none = open({ inheritActive: false });
    const some = open();
    for (const { exposure, shown } of [none, some]) {
      shown();
      exposure.activate(session, many.slice(0, 3), visible);
    }
    expect(none.shown(child)).toBe(lead);
    expect(some.shown({ ...child, inheritsActive: false })).toBe(lead);
  });
});

describe('a search that waits for the list to be read', () => {
  it('continues only after the list was read', async () => {
    const { exposure } = open({ holdMs: 10_000 });
    exposure.show(session, visible, growing);
    let isOver = false;
    const wait = exposure.untilListed(session, createCancellation()).then((heard) => {
      isOver = true;
      return heard;
    });
    await Promise.resolve();
    expect(isOver).toBe(false);
    exposure.listed(session);
    expect(await wait).toBe(true);
  });

  it('gives up after its timeout, and never waits for this client again', async () => {
    const { exposure, said } = open({ holdMs: 5 });
    exposure.show(session, visible, growing);
    expect(await exposure.untilListed(session, createCancellation())).toBe(false);
    expect(exposure.mode(session, visible)).toBe('call_tool');
    expect(said).toHaveLength(1);
  });
});

it('stays within its limits for any sequence of searches, calls, pins, revokes and inheritance', () => {
  const name = fc.constantFrom(...many.map((one) => one.name));
  const step = fc.oneof(
    fc.record({ kind: fc.constant('find' as const), names: fc.array(name, { maxLength: 6 }) }),
    fc.record({ kind: fc.constant('call' as const), names: fc.array(name, { minLength: 1, maxLength: 1 }) }),
    fc.record({ kind: fc.constant('hide' as const), names: fc.array(name, { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('fork' as const), names: fc.array(name, { maxLength: 4 }) }),
  );
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 25 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(name, { maxLength: 2 }),
      (steps, maxActiveSchemas, pin) => {
        const { exposure } = open({ maxActiveSchemas, pin });
        let now = visible;
        const list = (of: Session): readonly string[] =>
          exposure.show(of, now, growing).map((one) => one.name);
        list(session);
        for (const [at, { kind, names }] of steps.entries()) {
          const tools = now.list.filter((one) => names.includes(one.name));
          const before = list(session).join();
          if (kind === 'hide') now = visibleToolsOf(visible.list.filter((one) => !names.includes(one.name)));
          else if (kind === 'fork') {
            const own = { ...child, id: `s.${String(at)}` };
            exposure.activate(own, tools, now);
            expect(list(own).length).toBeGreaterThan(0);
            expect(list(session).join()).toBe(before);
          } else if (kind === 'find') {
            const { activated, evicted } = exposure.activate(session, tools, now);
            const shown = list(session);
            expect(activated.every((one) => shown.includes(one))).toBe(true);
            expect(evicted.some((one) => shown.includes(one.name) || names.includes(one.name))).toBe(false);
          } else for (const one of tools) exposure.called(session, one, now, growing);
          const shown = list(session);
          const pinned = now.list.filter((one) => pin.includes(one.name)).map((one) => one.name);
          expect(pinned.every((one) => shown.includes(one))).toBe(true);
          expect(shown.length - leads.length - 1 - pinned.length).toBeLessThanOrEqual(maxActiveSchemas);
          expect(shown.every((one) => now.list.some((spec) => spec.name === one))).toBe(true);
        }
      },
    ),
    { numRuns: 1500 },
  );
});
