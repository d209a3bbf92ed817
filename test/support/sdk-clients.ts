import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CompleteResultSchema,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { join } from 'node:path';
import { type HttpGate, type Place, program } from './gate.js';
import { tokenOf } from './raw-client.js';
import type { Protocol, Wire } from './upstreams.js';

/** The official clients, in every mode in which people run them. */
export const sdkKinds = [
  { sdk: 'v1', mode: 'legacy', protocol: 'legacy' },
  { sdk: 'v2', mode: 'legacy', protocol: 'legacy' },
  { sdk: 'v2', mode: 'pinned', protocol: 'modern' },
  { sdk: 'v2', mode: 'auto', protocol: 'modern' },
] as const;
export type SdkKind = (typeof sdkKinds)[number];

export interface Named {
  readonly name: string;
}

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly resource?: { readonly uri: string; readonly text?: string; readonly blob?: string };
}

export interface ToolResult {
  readonly content: readonly Block[];
  readonly isError?: boolean;
  readonly structuredContent?: unknown;
}

export interface CallMore {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number | undefined;
  }) => void;
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** What both official clients can do, in the same words. */
export interface SdkClient {
  readonly protocol: Protocol;
  /** Every notification that came. */
  readonly notices: readonly { readonly method: string; readonly params?: unknown }[];
  /** The methods that the server asked, in order. */
  readonly asked: readonly string[];
  version(): string | undefined;
  serverName(): string | undefined;
  instructions(): string | undefined;
  tools(): Promise<readonly Named[]>;
  prompts(): Promise<readonly Named[]>;
  resources(): Promise<readonly { readonly uri: string }[]>;
  templates(): Promise<readonly { readonly uriTemplate: string }[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>, more?: CallMore): Promise<ToolResult>;
  prompt(name: string, args?: Readonly<Record<string, string>>): Promise<string>;
  read(uri: string): Promise<string>;
  complete(
    ref: Readonly<Record<string, string>>,
    argument: Named & { readonly value: string },
  ): Promise<readonly string[]>;
  setLevel(level: 'debug' | 'info' | 'error'): Promise<void>;
  /** Asks to be told of the changes of a resource and, in the modern era, of the lists. */
  watch(uri: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface SdkOptions {
  readonly kind: SdkKind;
  readonly wire: Wire;
  readonly place: Place;
  readonly gate: HttpGate;
  /** Over HTTP: the token of a client; that of the operator when left out. */
  readonly token?: string;
  /** Over stdio: more words for `tidegate mcp`. */
  readonly args?: readonly string[];
  /** What the client says that it can do; all of it when left out. */
  readonly can?: readonly ('elicitation' | 'sampling' | 'roots')[];
  /** What it calls itself. */
  readonly name?: string;
  /** Whether it reads its tools again whenever it is told to. */
  readonly obeys?: boolean;
}

const infoOf = ({ name = 'wire-suite' }: SdkOptions) => ({ name, version: '1.0.0' });
const toolsChanged = 'notifications/tools/list_changed';
const every = ['elicitation', 'sampling', 'roots'] as const;
export const sampledReply = 'a sampled reply';
export const rootUri = 'file:///wire-suite/root';

/** How the clients answer what they are asked. */
const answers = {
  elicitation: (params: unknown) => ({ action: 'accept' as const, content: fillIn(params) }),
  sampling: () => ({
    model: 'none',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: sampledReply },
  }),
  roots: () => ({ roots: [{ uri: rootUri, name: 'root' }] }),
};

/** Every field gets its own name as text, or true where a text does not fit. */
function fillIn(params: unknown): Record<string, string | boolean> {
  const { requestedSchema } = params as {
    readonly requestedSchema?: {
      readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
    };
  };
  const fields = Object.entries(requestedSchema?.properties ?? {});
  return Object.fromEntries(
    fields.map(([name, { type }]) => [name, type === 'boolean' ? true : `my ${name}`]),
  );
}

export function openSdkClient(options: SdkOptions): Promise<SdkClient> {
  return options.kind.sdk === 'v1' ? openV1(options) : openV2(options);
}

function stdioParameters({ place, args = [] }: SdkOptions) {
  return {
    command: process.execPath,
    args: [program, 'mcp', '--config', place.configFile, ...args],
    env: { ...place.env },
    cwd: join(place.directory, 'workspace'),
    stderr: 'ignore' as const,
  };
}

function httpParameters({ place, token = tokenOf(place) }: SdkOptions) {
  return { requestInit: { headers: { authorization: `Bearer ${token}` } } };
}

const capabilitiesOf = ({ can = every }: SdkOptions) => Object.fromEntries(can.map((name) => [name, {}]));

async function openV1(options: SdkOptions): Promise<SdkClient> {
  const { can = every } = options;
  const client = new ClientV1(infoOf(options), { capabilities: capabilitiesOf(options) });
  const notices: { method: string; params?: unknown }[] = [];
  const asked: string[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => {
    notices.push({ method, params });
    if (options.obeys === true && method === toolsChanged) await client.listTools();
  };
  if (can.includes('elicitation')) {
    client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => {
      asked.push(method);
      return answers.elicitation(params);
    });
  }
  if (can.includes('sampling')) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ method }) => {
      asked.push(method);
      return answers.sampling();
    });
  }
  if (can.includes('roots')) {
    client.setRequestHandler(ListRootsRequestSchema, ({ method }) => {
      asked.push(method);
      return answers.roots();
    });
  }
  const transport =
    options.wire === 'stdio'
      ? new StdioV1(stdioParameters(options))
      : new HttpV1(new URL(options.gate.url), httpParameters(options));
  await client.connect(transport);
  return {
    protocol: 'legacy',
    notices,
    asked,
    version: () => (transport instanceof HttpV1 ? transport.protocolVersion : undefined),
    serverName: () => client.getServerVersion()?.name,
    instructions: () => client.getInstructions(),
    tools: () => allPages(async (cursor) => pageOf(await client.listTools(cursor), 'tools')),
    prompts: () => allPages(async (cursor) => pageOf(await client.listPrompts(cursor), 'prompts')),
    resources: () => allPages(async (cursor) => pageOf(await client.listResources(cursor), 'resources')),
    templates: () =>
      allPages(async (cursor) => pageOf(await client.listResourceTemplates(cursor), 'resourceTemplates')),
    call: async (name, args = {}, more = {}) =>
      (await client.callTool(
        { name, arguments: args, ...(more.meta && { _meta: more.meta }) },
        undefined,
        requestOptions(more),
      )) as ToolResult,
    prompt: async (name, args = {}) => JSON.stringify(await client.getPrompt({ name, arguments: args })),
    read: async (uri) => JSON.stringify(await client.readResource({ uri })),
    complete: async (ref, argument) => {
      const params = { ref, argument };
      const result = await client.request({ method: 'completion/complete', params }, CompleteResultSchema);
      return result.completion.values;
    },
    async setLevel(level) {
      await client.setLoggingLevel(level);
    },
    async watch(uri) {
      await client.subscribeResource({ uri });
      return async () => {
        await client.unsubscribeResource({ uri });
      };
    },
    close: () => client.close(),
  };
}

function requestOptions({ signal, onProgress }: CallMore) {
  return { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }), timeout: 20_000 };
}

type Cursor = { readonly cursor: string } | undefined;
interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

function pageOf<K extends string, T>(
  result: Readonly<Record<K, readonly T[]>> & { readonly nextCursor?: string | undefined },
  member: K,
): Page<T> {
  return { items: result[member], next: result.nextCursor };
}

async function allPages<T>(page: (cursor: Cursor) => Promise<Page<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const { items, next: after } = await page(next === undefined ? undefined : { cursor: next });
    all.push(...items);
    next = after;
  } while (next !== undefined);
  return all;
}

const negotiation = {
  legacy: { mode: 'legacy' },
  pinned: { mode: { pin: '2026-07-28' } },
  auto: { mode: 'auto' },
} as const;

async function openV2(options: SdkOptions): Promise<SdkClient> {
  const { can = every, kind } = options;
  const client = new ClientV2(infoOf(options), {
    capabilities: capabilitiesOf(options),
    versionNegotiation: negotiation[kind.mode],
  });
  const notices: { method: string; params?: unknown }[] = [];
  const asked: string[] = [];
  client.fallbackNotificationHandler = async ({ method, params }) => {
    notices.push({ method, params });
    if (options.obeys === true && method === toolsChanged)
      await client.listTools(undefined, { cacheMode: 'bypass' });
  };
  if (can.includes('elicitation')) {
    client.setRequestHandler('elicitation/create', ({ method, params }) => {
      asked.push(method);
      return answers.elicitation(params);
    });
  }
  if (can.includes('sampling')) {
    client.setRequestHandler('sampling/createMessage', ({ method }) => {
      asked.push(method);
      return answers.sampling();
    });
  }
  if (can.includes('roots')) {
    client.setRequestHandler('roots/list', ({ method }) => {
      asked.push(method);
      return answers.roots();
    });
  }
  const transport =
    options.wire === 'stdio'
      ? new StdioV2(stdioParameters(options))
      : new HttpV2(new URL(options.gate.url), httpParameters(options));
  await client.connect(transport);
  return {
    protocol: kind.protocol,
    notices,
    asked,
    version: () => client.getNegotiatedProtocolVersion(),
    serverName: () => client.getServerVersion()?.name,
    instructions: () => client.getInstructions(),
    tools: async () => (await client.listTools(undefined, { cacheMode: 'bypass' })).tools,
    prompts: async () => (await client.listPrompts(undefined, { cacheMode: 'bypass' })).prompts,
    resources: async () => (await client.listResources(undefined, { cacheMode: 'bypass' })).resources,
    templates: async () =>
      (await client.listResourceTemplates(undefined, { cacheMode: 'bypass' })).resourceTemplates,
    call: async (name, args = {}, more = {}) =>
      (await client.callTool(
        { name, arguments: args, ...(more.meta && { _meta: { ...more.meta } }) },
        requestOptions(more),
      )) as ToolResult,
    prompt: async (name, args = {}) =>
      JSON.stringify(await client.getPrompt({ name, arguments: { ...args } })),
    read: async (uri) => JSON.stringify(await client.readResource({ uri }, { cacheMode: 'bypass' })),
    complete: async (ref, argument) =>
      (await client.complete({ ref, argument } as Parameters<typeof client.complete>[0])).completion.values,
    async setLevel(level) {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- clients of the legacy era use it every day
      await client.setLoggingLevel(level);
    },
    async watch(uri) {
      if (kind.protocol === 'legacy') {
        await client.subscribeResource({ uri });
        return async () => {
          await client.unsubscribeResource({ uri });
        };
      }
      const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      const subscription = await client.listen({ ...lists, resourceSubscriptions: [uri] });
      return () => subscription.close();
    },
    close: () => client.close(),
  };
}
