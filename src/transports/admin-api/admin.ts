import type { IncomingMessage, ServerResponse } from 'node:http';
import { codeOf } from '../../lib/error-code.js';
import type { Gateway, ProviderReport } from '../../gateway/index.js';
import { type Caller, type Client, createQuietExchange } from '../../core/index.js';
import { emptyObject, JsonText } from '../../lib/json-text.js';
import { faultText } from '../faults.js';
import type { WireCommon } from '../identity.js';
import { answerJson } from '../http/answer-json.js';
import type { BodyRoom, TakeRoom } from '../http/body-room.js';
import { httpAnswer } from '../http/http-codes.js';
import type { CredentialSessions } from '../http/credential-sessions.js';
import { answerUnavailable } from '../http/unauthorized.js';
import { noBody, queryOf, queryProblem, readObject } from './read-order.js';
import { failure, ok, type Reply } from './replies.js';
import {
  type AdminApi,
  type AdminOperation,
  adminOperations,
  type AdminReply,
} from '../../ports/admin-api.js';
import { openApi, type Route, routes, takesBody } from './routes.js';

/** The admin API: reports on the gateway, and tool calls through the same pipeline as all others. */
export interface Admin {
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller, path: string): Promise<void>;
}

export interface AdminParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly lasting: CredentialSessions;
  readonly adminApi: AdminApi;
  readonly counts: () => Readonly<Record<string, number>>;
  readonly bodyRoom: BodyRoom;
}

/** One request, with what the API needs to answer it. */
interface Visit extends AdminParts {
  readonly caller: Caller;
  readonly parameter: string;
  readonly request: IncomingMessage;
  readonly takeRoom: TakeRoom;
  /** Aborts when the client disconnects before the response. */
  readonly signal: AbortSignal;
}

type Handler = (visit: Visit) => Reply | Promise<Reply>;

const client: Client = { protocol: 'modern', protocolVersion: 'admin', capabilities: emptyObject };

export function openAdmin(parts: AdminParts): Admin {
  return {
    async handle(request, response, caller, path) {
      const match = findRoute(request.method ?? 'GET', path);
      const controller = new AbortController();
      const abort = (): void => controller.abort();
      const held = parts.lasting.hold(caller.credential, abort);
      response.once('close', abort).once('close', () => held.release());
      const takeRoom = parts.bodyRoom.for(caller, response);
      const { signal } = controller;
      const visit = { ...parts, caller, parameter: match?.parameter ?? '', request, takeRoom, signal };
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

async function answer(route: Route | undefined, visit: Visit): Promise<Reply> {
  if (route === undefined)
    return httpAnswer('route.not_found', 'Not found. See /api/openapi.json for the API.');
  if (route.isForAdmins && !(await visit.adminApi.isAdmin(visit.caller)))
    return refuseCaller(visit, route.operation);
  return queryProblem(route, visit.request) ?? handlerOf(route)(visit);
}

function refuseCaller({ adminApi, common, caller }: Visit, operation: Route['operation']): Reply {
  adminApi.refused({ by: caller, requestId: common.newRequestId(), operation });
  return failure(403, 'access.admin_required', 'Only an admin can do this.');
}

function handlerOf(route: Route): Handler {
  const { operation } = route;
  return isAdminPath(operation) ? (visit) => runOperation(operation, route, visit) : handlers[operation];
}

async function runOperation(operation: AdminOperation, route: Route, visit: Visit): Promise<Reply> {
  const { adminApi, common, caller, parameter, request, takeRoom } = visit;
  const read = request.method === 'GET' ? { text: '{}' } : await readObject(request, takeRoom);
  if ('refused' in read) return read.refused;
  const body = JSON.parse(read.text) as Readonly<Record<string, unknown>>;
  if (!takesBody(route) && Object.keys(body).length > 0) return noBody;
  const query = Object.fromEntries(queryOf(request));
  const isStillAdmin = (): boolean | Promise<boolean> => adminApi.isAdmin(caller);
  // The body may have arrived minutes after the headers.
  if (!(await isStillAdmin())) return refuseCaller(visit, operation);
  const order = { by: caller, requestId: common.newRequestId(), parameter, query, body, isStillAdmin };
  const reply = await adminApi.operations[operation](order).catch(outageReply);
  if ('value' in reply) return ok(reply.value);
  const { status, ...error } = reply.refused;
  return { status, body: JSON.stringify({ error }) };
}

const handlers: Readonly<Record<Exclude<Route['operation'], AdminOperation>, Handler>> = {
  openApi: ({ common }) => ok(openApi(common.server.version)),
  status: ({ common, counts }) => ok({ version: common.server.version, ...counts() }),
  servers: ({ gateway }) => ok({ servers: serversOf(gateway), collisions: gateway.registry.collisions() }),
  async tools({ gateway, lasting, caller }) {
    const session = lasting.enter('admin', caller);
    await gateway.registry.settle(session);
    const specs = gateway.registry.list(session, 'tools');
    return { status: 200, body: `{"tools":[${specs.map((spec) => spec.definition.text).join(',')}]}` };
  },
  async tool({ gateway, common, lasting, adminApi, caller, parameter: name }) {
    const session = lasting.enter('admin', caller);
    await gateway.registry.settle(session);
    const spec = gateway.registry.describe(session, name);
    if (spec === undefined) {
      const wanted = { kind: 'tool', name } as const;
      adminApi.missed({ id: common.newRequestId(), session, client, wanted, params: emptyObject });
      return failure(404, 'tool.not_found', `Unknown tool: ${name}`);
    }
    return {
      status: 200,
      body: `{"source":${JSON.stringify(spec.source)},"definition":${spec.definition.text}}`,
    };
  },
  call,
};

async function call(visit: Visit): Promise<Reply> {
  const { gateway, common, lasting, caller, parameter: name, request, takeRoom, signal } = visit;
  const read = await readObject(request, takeRoom);
  if ('refused' in read) return read.refused;
  const args = read.text;
  const params = new JsonText(`{"name":${JSON.stringify(name)},"arguments":${args}}`);
  const session = lasting.enter('admin', caller);
  const outcome = await gateway.call(
    { id: common.newRequestId(), session, client, wanted: { kind: 'tool', name }, params },
    createQuietExchange(signal),
  );
  if (outcome.kind === 'content') return { status: 200, body: outcome.result.text };
  if (outcome.kind === 'asks')
    return failure(409, 'ask.unsupported', 'This tool asks for input. Call it from an agent.');
  const fault = faultText(outcome.fault, 'tool', 'modern', gateway.registry.describe(session, name));
  const isMissing = outcome.fault.code === 'tool.not_found';
  return fault.as === 'result'
    ? { status: 200, body: fault.text }
    : failure(isMissing ? 404 : 502, outcome.fault.code, outcome.fault.message, outcome.fault.upstream?.text);
}

function isAdminPath(operation: Route['operation']): operation is AdminOperation {
  return adminOperations.some((known) => known === operation);
}

/** A store reports an outage with a code; any other error is a bug. */
function isOutage(error: unknown): boolean {
  return String(codeOf(error)).startsWith('store.');
}

/** Tell an admin why the store failed: a full disk is not an access problem. */
function outageReply(error: unknown): AdminReply {
  if (!(error instanceof Error) || !isOutage(error) || !('code' in error)) throw error;
  const { code, message } = error;
  return { refused: { status: code === 'store.full' ? 507 : 503, code: String(code), message } };
}

function serversOf(gateway: Gateway): readonly ProviderReport[] {
  return gateway.registry.status().filter(({ source }) => source.startsWith('server:'));
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
