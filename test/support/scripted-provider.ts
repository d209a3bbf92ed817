import type { Call, Outcome, Provider, ToolSpec } from '../../src/core/index.js';
import { JsonText } from '../../src/lib/json-text.js';
import {
  type McpProviderOptions,
  openMcpProvider,
  type UpstreamMemory,
  type UpstreamRecord,
} from '../../src/providers/mcp/index.js';
import {
  createFakeClock,
  type FakeClock,
  type ScriptedServer,
  type Script,
  scriptServer,
} from './scripted-upstream.js';
import {
  type CallOptions,
  callOf,
  type ExchangeOptions,
  recordExchange,
  type Seen,
} from './upstream-calls.js';

export interface Bench {
  readonly provider: Provider;
  readonly server: ScriptedServer;
  readonly clock: FakeClock;
  readonly logs: { readonly level: string; readonly message: string; readonly fields: unknown }[];
  readonly memory: Map<string, UpstreamRecord>;
  call(requests?: CallOptions & ExchangeOptions): { readonly outcome: Promise<Outcome>; readonly seen: Seen };
}

/** A provider in front of scripted children, with time in the test's hands. */
export function openBench(script: Script, more: Partial<McpProviderOptions> = {}): Bench {
  const server = scriptServer(script);
  const clock = createFakeClock();
  const memory = new Map<string, UpstreamRecord>();
  const logs: Bench['logs'] = [];
  const provider = openMcpProvider({
    name: 's',
    transport: { kind: 'stdio', command: 'server', args: ['--flag'], cwd: '/here', env: { A: '1' } },
    prefix: 's_',
    offers: () => true,
    timeoutMs: 10_000,
    idleMs: 0,
    protocol: 'auto',
    trusted: true,
    enabled: true,
    processes: server.processes,
    memory: mapMemory(memory),
    version: '1.2.3',
    createRedactor: () => (line) => line,
    log: (level, message, fields) => void logs.push({ level, message, fields }),
    clock,
    ...more,
  });
  return {
    provider,
    server,
    clock,
    logs,
    memory,
    call(requests = {}) {
      const { exchange, seen } = recordExchange(requests);
      return { outcome: provider.call(echoCall(requests), exchange), seen };
    },
  };
}

export function mapMemory(records: Map<string, UpstreamRecord>): UpstreamMemory {
  return { read: (key) => records.get(key), write: (key, value) => void records.set(key, value) };
}

export const echoSpec: ToolSpec = {
  kind: 'tool',
  name: 's_echo',
  localName: 'echo',
  source: 'server:s',
  effect: 'execute',
  hints: {},
  definition: JsonText.from({ name: 's_echo' }),
};

export function echoCall(requests: CallOptions = {}): Call {
  return callOf(
    { kind: 'tool', spec: echoSpec },
    { params: '{"name":"s_echo","arguments":{}}', ...requests },
  );
}

/** The code of a fault, or what came instead. */
export function faultOf(outcome: Outcome): unknown {
  return outcome.kind === 'fault' ? outcome.fault.code : outcome;
}
