import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway, ProviderReport } from '../../gateway/index.js';
import {
  type Caller,
  type Client,
  emptyObject,
  createQuietExchange,
  JsonText,
  type Request,
  type Session,
  depthOf,
  maxDepth,
} from '../../kernel/index.js';
import { faultText } from '../faults.js';
import type { WireCommon } from '../identity.js';
import { answerJson } from '../mcp-http/answer-json.js';
import { sessionIdAt } from '../mcp-http/identify.js';
import { readBody } from '../mcp-http/read-body.js';
import { answerUnavailable } from '../mcp-http/unauthorized.js';
import { type DeskOperation, deskOperations, openApi, type Route, routes } from './routes.js';

/** The admin API: what the gate knows, and calls through the same corridor as everyone's. */
export interface Admin {
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller, path: string): Promise<void>;
}

/** What an admin wants of the desk. */
export interface DeskOrder {
  readonly by: Caller;
  readonly requestId: string;
  /** What stands in the address. */
  readonly parameter: string;
  /** What stands behind the question mark, each name once. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export type DeskReply = { readonly value: unknown } | { readonly refused: DeskRefusal };

export interface DeskRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The way forward. */
  readonly next?: string;
  /** Each thing that is wrong, where several are. */
  readonly problems?: readonly string[];
}

/** Who may, and what happens then. Throws or rejects when that cannot be found out now. */
export interface AdminDesk {
  isAdmin(caller: Caller): boolean | Promise<boolean>;
  /** Told of whoever is no admin and wanted to be. */
  refused(attempt: RefusedAttempt): void;
  /** Told of whoever asked for a tool that is not there for him. */
  missed(request: Request): void;
  readonly operations: Readonly<Record<DeskOperation, (order: DeskOrder) => Promise<DeskReply>>>;
}

export interface RefusedAttempt {
  readonly by: Caller;
  readonly requestId: string;
  readonly operation: Route['operation'];
}

export interface AdminParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly desk: AdminDesk;
  readonly counts: () => Readonly<Record<string, number>>;
}

interface Visit {
  readonly caller: Caller;
  readonly parameter: string;
  readonly request: IncomingMessage;
  /** Aborts when the visitor leaves before the answer. */
  readonly signal: AbortSignal;
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

type Handler = (visit: Visit) => Reply | Promise<Reply>;

const maxBodyBytes = 4 * 1024 * 1024;

export function openAdmin({ gateway, common, desk, counts }: AdminParts): Admin {
  const client: Client = { era: 'modern', protocolVersion: 'admin', capabilities: emptyObject };

  function sessionOf({ principal, chain, credential }: Caller): Session {
    return { id: sessionIdAt('admin', credential), principal, chain, scope: 'credential' };
  }

  async function call({ caller, parameter: name, request, signal }: Visit): Promise<Reply> {
    const args = await readObject(request);
    if (args === undefined)
      return failure(400, 'input.invalid', 'The body must be a JSON object: the arguments.');
    const params = new JsonText(`{"name":${JSON.stringify(name)},"arguments":${args}}`);
    const session = sessionOf(caller);
    const outcome = await gateway.call(
      { id: common.newRequestId(), session, client, wanted: { kind: 'tool', name }, params },
      createQuietExchange(signal),
    );
    if (outcome.kind === 'content') return { status: 200, body: outcome.result.text };
    if (outcome.kind === 'asks')
      return failure(409, 'ask.unsupported', 'This tool asks questions: call it from an agent.');
    const fault = faultText(outcome.fault, 'tool', 'modern', gateway.describe(session, name));
    const isMissing = outcome.fault.code === 'tool.not_found';
    return fault.as === 'result'
      ? { status: 200, body: fault.text }
      : failure(
          isMissing ? 404 : 502,
          outcome.fault.code,
          outcome.fault.message,
          outcome.fault.upstream?.text,
        );
  }

  function atDesk(operation: DeskOperation): Handler {
    return async ({ caller, parameter, request }) => {
      const text = request.method === 'GET' ? '{}' : await readObject(request);
      if (text === undefined) return failure(400, 'input.invalid', 'The body must be a JSON object.');
      const body = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const query = queryOf(request);
      if (query === undefined) return failure(400, 'input.invalid', 'A name stands twice in the query.');
      const order = { by: caller, requestId: common.newRequestId(), parameter, query, body };
      const reply = await desk.operations[operation](order);
      if ('value' in reply) return ok(reply.value);
      const { status, ...error } = reply.refused;
      return { status, body: JSON.stringify({ error }) };
    };
  }

  const own: Readonly<Record<Exclude<Route['operation'], DeskOperation>, Handler>> = {
    openApi: () => ok(openApi(common.server.version)),
    status: () => ok({ version: common.server.version, ...counts() }),
    servers: () => ok({ servers: serversOf(gateway), collisions: gateway.collisions() }),
    async tools({ caller }) {
      const session = sessionOf(caller);
      await gateway.settle(session);
      const specs = gateway.list(session, 'tools');
      return { status: 200, body: `{"tools":[${specs.map((spec) => spec.definition.text).join(',')}]}` };
    },
    async tool({ caller, parameter: name }) {
      const session = sessionOf(caller);
      await gateway.settle(session);
      const spec = gateway.describe(session, name);
      if (spec === undefined) {
        const wanted = { kind: 'tool', name } as const;
        desk.missed({ id: common.newRequestId(), session, client, wanted, params: emptyObject });
        return failure(404, 'tool.not_found', `Unknown tool: ${name}`);
      }
      return {
        status: 200,
        body: `{"source":${JSON.stringify(spec.source)},"definition":${spec.definition.text}}`,
      };
    },
    call,
  };

  function handlerOf({ operation }: Route): Handler {
    return isAtDesk(operation) ? atDesk(operation) : own[operation];
  }

  async function answer(route: Route | undefined, visit: Visit): Promise<Reply> {
    if (route === undefined)
      return failure(404, 'route.not_found', 'No such address. The API is described at /api/openapi.json.');
    if (route.isForAdmins && !(await desk.isAdmin(visit.caller))) {
      desk.refused({ by: visit.caller, requestId: common.newRequestId(), operation: route.operation });
      return failure(403, 'access.admin_required', 'Only an admin may do this.');
    }
    return handlerOf(route)(visit);
  }

  return {
    async handle(request, response, caller, path) {
      const match = findRoute(request.method ?? 'GET', path);
      const controller = new AbortController();
      response.once('close', () => controller.abort());
      const visit = { caller, parameter: match?.parameter ?? '', request, signal: controller.signal };
      try {
        const reply = await answer(match?.route, visit);
        answerJson(response, reply.status, reply.body, { 'cache-control': 'no-store' });
      } catch (error) {
        if (!isOutage(error)) throw error;
        answerUnavailable(response);
      }
    },
  };
}

function isAtDesk(operation: Route['operation']): operation is DeskOperation {
  return deskOperations.some((known) => known === operation);
}

/** Stores say by a code that they cannot answer; whatever else is thrown is a defect. */
function isOutage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('store.');
}

/** Undefined where a name stands twice: each reader would believe another one. */
function queryOf({ url = '' }: IncomingMessage): Readonly<Record<string, string>> | undefined {
  const at = url.indexOf('?');
  const pairs = [...new URLSearchParams(at === -1 ? '' : url.slice(at + 1))];
  return new Set(pairs.map(([name]) => name)).size === pairs.length ? Object.fromEntries(pairs) : undefined;
}

async function readObject(request: IncomingMessage): Promise<string | undefined> {
  const body = await readBody(request, maxBodyBytes);
  return body.ok ? parseObject(body.text) : undefined;
}

function serversOf(gateway: Gateway): readonly ProviderReport[] {
  return gateway.status().filter(({ source }) => source.startsWith('server:'));
}

function findRoute(method: string, path: string): { route: Route; parameter: string } | undefined {
  const given = path.split('/');
  for (const route of routes) {
    const wanted = route.path.split('/');
    if (route.method !== method || wanted.length !== given.length) continue;
    const open = wanted.findIndex((part) => part.startsWith('{'));
    const isMatch = wanted.every((part, at) => (at === open ? given[at] !== '' : part === given[at]));
    if (isMatch) return { route, parameter: decodeSafely(given[open] ?? '') };
  }
  return undefined;
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseObject(text: string): string | undefined {
  if (text.trim() === '') return '{}';
  try {
    if (depthOf(text, maxDepth) > maxDepth) return undefined;
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : undefined;
  } catch {
    return undefined;
  }
}

function ok(value: unknown): Reply {
  return { status: 200, body: JSON.stringify(value) };
}

function failure(status: number, code: string, message: string, upstream?: string): Reply {
  const tail = upstream === undefined ? '' : `,"upstream":${upstream}`;
  return {
    status,
    body: `{"error":{"code":${JSON.stringify(code)},"message":${JSON.stringify(message)}${tail}}}`,
  };
}
