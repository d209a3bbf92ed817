import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ChildProcess, Processes } from '../../src/ports/processes.js';
import type { Outcome, Provider, ToolSpec } from '../../src/core/index.js';
import { JsonText } from '../../src/lib/json-text.js';
import { type McpProviderOptions, openFileMemory, openMcpProvider } from '../../src/providers/mcp/index.js';
import { openProcesses } from '../../src/services/processes/index.js';
import { callOf, type ExchangeOptions, recordExchange } from '../support/upstream-calls.js';

const server = fileURLToPath(new URL('../fixtures/servers/conformance-server.mjs', import.meta.url));

/** Each way to each era, against a real server in a real process. */
const ways = [
  { wire: 'stdio', protocol: 'legacy' },
  { wire: 'stdio', protocol: 'modern' },
  { wire: 'http', protocol: 'legacy' },
  { wire: 'http', protocol: 'modern' },
] as const;

describe.each(ways)('a real server over $wire with $protocol protocol', ({ wire, protocol }) => {
  let stateDir: string;
  let processes: Processes;
  let host: ChildProcess | undefined;
  let url = '';
  const opened: Provider[] = [];

  beforeAll(async () => {
    stateDir = mkdtempSync(join(tmpdir(), 'tidegate-mcp-'));
    processes = openProcesses({ stateDir });
    if (wire === 'http') {
      host = await processes.start(order(['--http', '0'], protocol));
      url = await urlOf(host);
    }
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((provider) => provider.close()));
  });
  afterAll(async () => {
    await host?.close();
    await processes.close();
    rmSync(stateDir, { recursive: true, force: true });
  });

  function open(more: Partial<McpProviderOptions> = {}): Provider {
    const provider = openMcpProvider({
      name: 'real',
      transport:
        wire === 'http'
          ? { kind: 'http', url, headers: {} }
          : { kind: 'stdio', ...pick(order([], protocol)) },
      prefix: 'x_',
      offers: () => true,
      timeoutMs: 10_000,
      idleMs: 0,
      protocol: 'auto',
      trusted: true,
      enabled: true,
      processes,
      memory: openFileMemory(mkdtempSync(join(stateDir, 'memory-'))),
      roots: { kind: 'folders', folders: ['/somewhere'] },
      version: '0.0.0',
      createRedactor: () => (line) => line,
      log: () => undefined,
      ...more,
    });
    opened.push(provider);
    return provider;
  }

  async function callTool(provider: Provider, name: string, args: unknown, requests: ExchangeOptions = {}) {
    const spec = toolOf(provider, name);
    const { exchange, seen } = recordExchange(requests);
    const params = JSON.stringify({
      name: spec.name,
      arguments: args,
      ...(requests.wantsProgress === true && { _meta: { progressToken: 'theirs' } }),
    });
    const capabilities = JSON.stringify({ elicitation: {}, sampling: {}, roots: {} });
    const call = callOf({ kind: 'tool', spec }, { params, capabilities });
    return { outcome: await provider.call(call, exchange), seen };
  }

  it('lists, calls and detects the protocol version', async () => {
    const provider = open();
    await provider.ready();
    expect(provider.status()).toMatchObject({
      state: 'ready',
      protocolVersion: protocol === 'modern' ? '2026-07-28' : '2025-11-25',
    });
    const { outcome } = await callTool(provider, 'test_simple_text', {});
    expect(textOf(outcome)).toBe('This is a simple text response for testing.');
    expect(provider.list().prompts.length).toBeGreaterThan(0);
    expect(provider.list().resources.length).toBeGreaterThan(0);
    expect(provider.list().templates.length).toBeGreaterThan(0);
  });

  it('passes progress to the caller that asked for it', async () => {
    const provider = open();
    await provider.ready();
    const { seen } = await callTool(provider, 'test_tool_with_progress', {}, { wantsProgress: true });
    expect(seen.progress.length).toBeGreaterThanOrEqual(3);
  });

  it('reads resources and prompts and completes arguments', async () => {
    const provider = open();
    await provider.ready();
    const { exchange } = recordExchange();
    const resource = provider.list().resources.find(({ uri }) => uri === 'test://static-text');
    if (!resource) throw new Error('no resource');
    const read = await provider.call(
      callOf(
        { kind: 'resource', uri: resource.uri, spec: resource },
        { params: JSON.stringify({ uri: resource.uri }) },
      ),
      exchange,
    );
    expect(JSON.stringify(read)).toContain('static text resource');
    const prompt = provider
      .list()
      .prompts.find(({ localName }) => localName === 'test_prompt_with_arguments');
    if (!prompt) throw new Error('no prompt');
    const ref = { type: 'ref/prompt', name: prompt.name };
    const completed = await provider.call(
      callOf(
        { kind: 'completion', spec: prompt },
        { params: JSON.stringify({ ref, argument: { name: 'arg1', value: 'te' } }) },
      ),
      exchange,
    );
    expect(completed.kind).toBe('content');
  });

  it('passes the questions of a tool to the caller', async () => {
    const provider = open();
    await provider.ready();
    const name = protocol === 'modern' ? 'test_input_required_result_elicitation' : 'test_elicitation';
    const { outcome, seen } = await callTool(
      provider,
      name,
      { message: 'who?' },
      {
        can: ['elicitation/create', 'sampling/createMessage', 'roots/list'],
        answer: () => ({ kind: 'answer', result: JsonText.from({ action: 'decline' }) }),
      },
    );
    if (protocol === 'modern') expect(outcome.kind).toBe('asks');
    else expect(seen.questions.map(({ method }) => method)).toEqual(['elicitation/create']);
  });

  it('reports changes of lists and of watched resources', async () => {
    const provider = open();
    await provider.ready();
    const updates: unknown[] = [];
    const stop = await provider.watch('test://watched-resource', (params) => updates.push(params.value));
    const changed = new Promise<void>((resolve) => provider.onChange(resolve));
    await callTool(provider, 'test_trigger_tool_change', {});
    await callTool(provider, 'test_trigger_resource_update', {});
    await changed;
    await expect.poll(() => updates.length).toBeGreaterThan(0);
    stop();
  });

  it('starts from the cache without waiting for the server', async () => {
    const memory = openFileMemory(mkdtempSync(join(stateDir, 'memory-')));
    await open({ memory }).ready();
    const second = open({ memory });
    expect(second.list().tools.length).toBeGreaterThan(0);
    await second.ready();
    expect(second.status().state).toBe('idle');
    const { outcome } = await callTool(second, 'test_simple_text', {});
    expect(outcome.kind).toBe('content');
  });
});

function order(args: readonly string[], protocol: string) {
  return {
    owner: 'real',
    command: process.execPath,
    args: [server, ...args],
    cwd: tmpdir(),
    env: { FIXTURE_ERA: protocol, FIXTURE_PAGE_SIZE: '7' },
  };
}

function pick({ command, args, cwd, env }: ReturnType<typeof order>) {
  return { command, args, cwd, env };
}

function urlOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.onErrorOutput((chunk) => {
      said += Buffer.from(chunk).toString('utf8');
      const found = /https?:\/\/\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    child.onExit(() => reject(new Error(said)));
  });
}

function toolOf(provider: Provider, localName: string): ToolSpec {
  const spec = provider.list().tools.find((tool) => tool.localName === localName);
  if (!spec) throw new Error(`no tool ${localName}`);
  return spec;
}

function textOf(outcome: Outcome): unknown {
  if (outcome.kind !== 'content') return outcome;
  const { content } = outcome.result.value as { content: readonly { text?: string }[] };
  return content[0]?.text;
}
