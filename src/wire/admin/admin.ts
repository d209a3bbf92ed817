import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway, ProviderReport } from '../../gateway/index.js';
import {
  type Client,
  emptyObject,
  createQuietExchange,
  JsonText,
  type Principal,
  type Session,
  depthOf,
  maxDepth,
} from '../../kernel/index.js';
import { faultText } from '../faults.js';
import type { WireCommon } from '../identity.js';
import { answerJson } from '../mcp-http/http-line.js';
import { readBody } from '../mcp-http/read-body.js';
import { openApi, type Route, routes } from './routes.js';

/** The admin API: what the gate knows, and calls through the same corridor as everyone's. */
export interface Admin {
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
    path: string,
  ): Promise<void>;
}

interface Visit {
  readonly principal: Principal;
  readonly parameter: string;
  readonly request: IncomingMessage;
  /** Aborts when the visitor leaves before the answer. */
  readonly signal: AbortSignal;
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

const maxBodyBytes = 4 * 1024 * 1024;

export function openAdmin(
  gateway: Gateway,
  common: WireCommon,
  counts: () => Readonly<Record<string, number>>,
): Admin {
  const client: Client = { era: 'modern', protocolVersion: 'admin', capabilities: emptyObject };

  function sessionOf(principal: Principal): Session {
    return { id: `admin:${principal.id}`, principal, scope: 'credential' };
  }

  async function call({ principal, parameter: name, request, signal }: Visit): Promise<Reply> {
    const body = await readBody(request, maxBodyBytes);
    const args = body.ok ? parseObject(body.text) : undefined;
    if (args === undefined)
      return failure(400, 'input.invalid', 'The body must be a JSON object: the arguments.');
    const params = new JsonText(`{"name":${JSON.stringify(name)},"arguments":${args}}`);
    const outcome = await gateway.call(
      {
        id: common.newRequestId(),
        session: sessionOf(principal),
        client,
        wanted: { kind: 'tool', name },
        params,
      },
      createQuietExchange(signal),
    );
    if (outcome.kind === 'content') return { status: 200, body: outcome.result.text };
    if (outcome.kind === 'asks')
      return failure(409, 'ask.unsupported', 'This tool asks questions: call it from an agent.');
    const fault = faultText(outcome.fault, 'tool', 'modern', gateway.describe(sessionOf(principal), name));
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

  const handlers: Readonly<Record<Route['operation'], (visit: Visit) => Reply | Promise<Reply>>> = {
    openApi: () => ok(openApi(common.server.version)),
    status: () => ok({ version: common.server.version, ...counts() }),
    servers: () => ok({ servers: serversOf(gateway), collisions: gateway.collisions() }),
    async tools({ principal }) {
      await gateway.settle();
      const specs = gateway.list(sessionOf(principal), 'tools');
      return { status: 200, body: `{"tools":[${specs.map((spec) => spec.definition.text).join(',')}]}` };
    },
    async tool({ principal, parameter: name }) {
      await gateway.settle();
      const spec = gateway.describe(sessionOf(principal), name);
      if (spec === undefined) return failure(404, 'tool.not_found', `Unknown tool: ${name}`);
      return {
        status: 200,
        body: `{"source":${JSON.stringify(spec.source)},"definition":${spec.definition.text}}`,
      };
    },
    call,
  };

  return {
    async handle(request, response, principal, path) {
      const match = findRoute(request.method ?? 'GET', path);
      const controller = new AbortController();
      response.once('close', () => controller.abort());
      const { signal } = controller;
      const reply =
        match === undefined
          ? failure(404, 'route.not_found', 'No such address. The API is described at /api/openapi.json.')
          : await handlers[match.route.operation]({ principal, parameter: match.parameter, request, signal });
      answerJson(response, reply.status, reply.body, { 'cache-control': 'no-store' });
    },
  };
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
