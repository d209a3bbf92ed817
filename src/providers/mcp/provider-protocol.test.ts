import { describe, expect, it } from 'vitest';
import { openBench } from '../../../test/support/scripted-provider.js';
import {
  echoTool,
  legacyScript,
  type Message,
  modernScript,
  settle,
} from '../../../test/support/scripted-upstream.js';

const methods = (messages: readonly Message[]): unknown[] => messages.map(({ method }) => method);
const protocol = ({ memory }: ReturnType<typeof openBench>): unknown => [...memory.values()][0]?.protocol;

describe('detecting the protocol version of a server', () => {
  it('probes the real process and uses the legacy protocol on it', async () => {
    const bench = openBench(legacyScript());
    await bench.provider.ready();
    expect(bench.server.children).toHaveLength(1);
    expect(methods(bench.server.child.received)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
    ]);
    expect(bench.provider.status()).toMatchObject({ state: 'ready', protocolVersion: '2025-11-25', pid: 1 });
    expect(protocol(bench)).toBe('legacy');
  });

  it('uses the modern protocol with what it discovered', async () => {
    const bench = openBench(modernScript());
    await bench.provider.ready();
    expect(methods(bench.server.child.received)).toEqual(['server/discover', 'tools/list']);
    for (const { params } of bench.server.child.received) {
      expect(params?.['_meta']).toMatchObject({
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'tidegate', version: '1.2.3' },
        'io.modelcontextprotocol/clientCapabilities': expect.anything() as unknown,
      });
    }
    expect(bench.provider.status()).toMatchObject({ protocolVersion: '2026-07-28' });
    expect(protocol(bench)).toBe('modern');
  });

  it('treats a server that is silent for three seconds as legacy, in the same process', async () => {
    const legacy = legacyScript();
    const bench = openBench((message, child) => {
      if (message.method !== 'server/discover') legacy(message, child);
    });
    const ready = bench.provider.ready();
    await bench.clock.advance(2999);
    expect(methods(bench.server.child.received)).toEqual(['server/discover']);
    await bench.clock.advance(1);
    await ready;
    expect(bench.server.children).toHaveLength(1);
    expect(bench.provider.list().tools).toHaveLength(1);
    // The probe is let go of without a word: a legacy server knows no such request.
    await bench.clock.advance(60_000);
    expect(methods(bench.server.child.received)).not.toContain('notifications/cancelled');
  });

  it('accepts a modern server that only starts slowly', async () => {
    const modern = modernScript();
    let held: (() => void)[] | undefined = [];
    const bench = openBench((message, child) => {
      if (held) held.push(() => modern(message, child));
      else modern(message, child);
    });
    const ready = bench.provider.ready();
    await bench.clock.advance(3500);
    for (const answer of held) answer();
    held = undefined;
    await settle();
    await ready;
    expect(bench.provider.status()).toMatchObject({ protocolVersion: '2026-07-28' });
  });

  it('restarts a server that exits on the probe, and remembers it', async () => {
    const legacy = legacyScript();
    const bench = openBench((message, child) => {
      if (message.method === 'server/discover') child.exit();
      else legacy(message, child);
    });
    await bench.provider.ready();
    expect(bench.server.children).toHaveLength(2);
    expect(methods(bench.server.child.received)[0]).toBe('initialize');
    expect(protocol(bench)).toBe('legacy');
  });

  it('does not probe again for a week', async () => {
    const week = 7 * 24 * 3_600_000;
    for (const [age, first] of [
      [week - 1, 'initialize'],
      [week, 'server/discover'],
    ] as const) {
      const memory = {
        read: () => ({ protocol: 'legacy', at: 1_000_000 - age }) as const,
        write: () => undefined,
      };
      const bench = openBench(legacyScript(), { memory });
      await bench.provider.ready();
      expect(methods(bench.server.child.received)[0]).toBe(first);
    }
  });

  it('probes again if the remembered version is wrong', async () => {
    for (const remembered of ['legacy', 'modern'] as const) {
      const script = remembered === 'legacy' ? modernScript() : legacyScript();
      const memory = { read: () => ({ protocol: remembered, at: 1_000_000 }), write: () => undefined };
      const bench = openBench(script, { memory });
      await bench.provider.ready();
      expect(bench.provider.list().tools).toHaveLength(1);
    }
  });

  it('follows the configured protocol', async () => {
    const legacy = openBench(legacyScript(), { protocol: 'legacy' });
    await legacy.provider.ready();
    expect(methods(legacy.server.child.received)[0]).toBe('initialize');
    const modern = openBench(legacyScript(), { protocol: 'modern' });
    await modern.provider.ready();
    expect(modern.provider.status().state).toBe('failed');
    expect(methods(modern.server.child.received)).not.toContain('initialize');
  });

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'supports %s',
    async (protocolVersion) => {
      const bench = openBench(
        ({ id, method }, child) => {
          if (method === 'initialize') {
            child.say({ jsonrpc: '2.0', id, result: { protocolVersion, capabilities: { tools: {} } } });
          }
          if (method === 'tools/list') child.say({ jsonrpc: '2.0', id, result: { tools: [echoTool] } });
        },
        { protocol: 'legacy' },
      );
      await bench.provider.ready();
      expect(bench.provider.status()).toMatchObject({ state: 'ready', protocolVersion });
    },
  );

  it('refuses an unknown version, and names it', async () => {
    const bench = openBench(
      ({ id }, child) => child.say({ jsonrpc: '2.0', id, result: { protocolVersion: '1999-01-01' } }),
      { protocol: 'legacy' },
    );
    await bench.provider.ready();
    expect(bench.provider.status()).toMatchObject({
      state: 'failed',
      detail: 'it uses protocol version 1999-01-01, which is not supported',
    });
    expect(bench.server.child.isClosed).toBe(true);
  });

  it('falls back if a server supports only older versions, but not if it supports only newer ones', async () => {
    const refuse = (supported: readonly string[]) =>
      openBench((message, child) => {
        if (message.method !== 'server/discover') return legacyScript()(message, child);
        const error = { code: -32022, message: 'no', data: { supported } };
        child.say({ jsonrpc: '2.0', id: message.id, error });
      });
    const older = refuse(['2025-11-25']);
    await older.provider.ready();
    expect(older.provider.status()).toMatchObject({ protocolVersion: '2025-11-25' });
    const newer = refuse(['2030-01-01']);
    await newer.provider.ready();
    expect(newer.provider.status().state).toBe('failed');
  });
});
