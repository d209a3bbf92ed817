import type { AdminOperation } from '../../ports/admin-api.js';
/** One address of the admin API. The router and the OpenAPI file are both generated from this table. */
export interface Route {
  readonly operation: 'openApi' | 'status' | 'servers' | 'tools' | 'tool' | 'call' | AdminOperation;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** At most one parameter, in braces. */
  readonly path: string;
  readonly summary: string;
  /** Query parameters; a trailing `!` marks a required one. */
  readonly query?: readonly string[];
  /** Fields of the body, marked the same way; `*` for a free-form document. */
  readonly body?: readonly string[];
  /** Shows what is hidden from others, or changes what others may do. */
  readonly isForAdmins?: true;
}

export const routes: readonly Route[] = [
  { operation: 'openApi', method: 'GET', path: '/api/openapi.json', summary: 'This description.' },
  {
    operation: 'status',
    method: 'GET',
    path: '/api/status',
    summary: 'Version and counts of the running gateway.',
    isForAdmins: true,
  },
  {
    operation: 'servers',
    method: 'GET',
    path: '/api/servers',
    summary: 'State of every configured server.',
    isForAdmins: true,
  },
  {
    operation: 'context',
    method: 'GET',
    path: '/api/context',
    summary:
      'How many tools are listed and deferred, their cost in tokens, and the active tools of each session.',
    query: ['client', 'exact'],
    isForAdmins: true,
  },
  { operation: 'tools', method: 'GET', path: '/api/tools', summary: 'The tools that the caller can see.' },
  {
    operation: 'tool',
    method: 'GET',
    path: '/api/tools/{name}',
    summary: 'One tool: its source and definition.',
  },
  {
    operation: 'call',
    method: 'POST',
    path: '/api/tools/{name}/call',
    summary:
      'Calls a tool through the gateway. The body is the arguments object; the response is the MCP result.',
  },
  {
    operation: 'tokens',
    method: 'GET',
    path: '/api/tokens',
    summary: 'The client tokens, without their secrets.',
    isForAdmins: true,
  },
  {
    operation: 'createToken',
    method: 'POST',
    path: '/api/tokens',
    summary:
      'Creates a token: `principal`, and optionally `profile`, `tools`, `workspace`, `expires`, `label`, or the id of a `parent`. The response contains its secret, which is shown only once.',
    isForAdmins: true,
  },
  {
    operation: 'revokeToken',
    method: 'DELETE',
    path: '/api/tokens/{id}',
    summary: 'Revokes a token and every token derived from it.',
    isForAdmins: true,
  },
  {
    operation: 'profiles',
    method: 'GET',
    path: '/api/profiles',
    summary: 'The profiles: what they extend, how many tools they grant, and which one is the default.',
    isForAdmins: true,
  },
  {
    operation: 'profile',
    method: 'GET',
    path: '/api/profiles/{name}',
    summary:
      'One profile: its entries, with `resolved=true` also the inherited ones, and the tools they match now.',
    query: ['resolved'],
    isForAdmins: true,
  },
  {
    operation: 'principal',
    method: 'GET',
    path: '/api/principals/{principal}',
    summary: 'All grants of a principal or role, and their combined effect.',
    isForAdmins: true,
  },
  {
    operation: 'assignProfile',
    method: 'PUT',
    path: '/api/principals/{principal}/profile',
    summary: 'Sets the profile of a principal or role; `none` removes it.',
    body: ['profile!'],
    isForAdmins: true,
  },
  {
    operation: 'grant',
    method: 'POST',
    path: '/api/grants',
    summary:
      'Grants a tool, a set of tools or a role; with `block` denies it; with `admin` makes the principal an admin of the zone.',
    body: ['principal!', 'what', 'until', 'see', 'block', 'admin', 'force'],
    isForAdmins: true,
  },
  {
    operation: 'revoke',
    method: 'DELETE',
    path: '/api/grants',
    summary: 'Removes a grant, and reports what remains and why.',
    body: ['principal!', 'what', 'all', 'block', 'unblock', 'admin'],
    isForAdmins: true,
  },
  {
    operation: 'check',
    method: 'GET',
    path: '/api/check',
    summary: 'Whether a principal may see or call something.',
    query: ['principal!', 'what!', 'action', 'token', 'profile'],
    isForAdmins: true,
  },
  {
    operation: 'explain',
    method: 'GET',
    path: '/api/explain',
    summary: 'Explains a decision: the tuples behind it, and what would change it.',
    query: ['principal!', 'what!', 'action', 'token', 'profile'],
    isForAdmins: true,
  },
  {
    operation: 'exportAccess',
    method: 'GET',
    path: '/api/access',
    summary: 'Exports every grant of the zone as a document.',
    isForAdmins: true,
  },
  {
    operation: 'importAccess',
    method: 'POST',
    path: '/api/access',
    summary: 'Imports an exported document. If any part is invalid, nothing is imported.',
    query: ['replace', 'dryRun', 'force'],
    body: ['*'],
    isForAdmins: true,
  },
  {
    operation: 'testAccess',
    method: 'POST',
    path: '/api/access/test',
    summary: 'Checks the grants against a document of assertions.',
    body: ['*'],
    isForAdmins: true,
  },
  {
    operation: 'audit',
    method: 'GET',
    path: '/api/audit',
    summary: 'Calls, refusals and changes, newest first.',
    query: ['principal', 'denied', 'action', 'limit', 'before'],
    isForAdmins: true,
  },
  {
    operation: 'pruneAudit',
    method: 'POST',
    path: '/api/audit/prune',
    summary:
      'Deletes records older than `olderThan`, such as `90d` or `2026-01-31`; with `dryRun` only counts them.',
    body: ['olderThan!', 'dryRun'],
    isForAdmins: true,
  },
];

/** The OpenAPI description of the table. */
export function openApi(version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tidegate admin API', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    security: [{ bearer: [] }],
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Error: {
          type: 'object',
          required: ['error'],
          properties: {
            error: {
              type: 'object',
              required: ['code', 'message'],
              properties: {
                code: { type: 'string' },
                message: { type: 'string' },
                next: { type: 'string' },
                problems: { type: 'array', items: { type: 'string' } },
              },
            },
          },
        },
      },
    },
    paths,
  };
}

function operationOf(route: Route): Readonly<Record<string, unknown>> {
  const parameter = /\{([^}]+)\}/.exec(route.path)?.[1];
  const isForAdmins = route.isForAdmins === true;
  const json = { 'application/json': { schema: { type: 'object' } } };
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const forbidden = isForAdmins
    ? 'Foreign Host or Origin, or the caller is not an admin'
    : 'Foreign Host or Origin';
  return {
    operationId: route.operation,
    summary: route.summary,
    ...((parameter ?? route.query) !== undefined && { parameters: parametersOf(route, parameter) }),
    ...(takesBody(route) && { requestBody: { required: true, content: bodyOf(route) } }),
    responses: {
      200: { description: 'OK', content: json },
      401: { description: 'Missing or invalid token', content: error },
      403: { description: forbidden, content: error },
      503: { description: 'The gateway cannot identify the caller or check its access', content: error },
      ...(parameter && { 404: { description: 'Not found', content: error } }),
      ...((takesBody(route) || route.query !== undefined) && {
        400: { description: 'Invalid body or query', content: error },
      }),
      ...(route.operation === 'call' && {
        502: { description: 'The call failed before it reached the tool', content: error },
      }),
    },
  };
}

export function takesBody({ method, body }: Route): boolean {
  return method === 'POST' || body !== undefined;
}

function parametersOf({ query = [] }: Route, parameter: string | undefined): readonly unknown[] {
  const schema = { type: 'string' };
  return [
    ...(parameter === undefined ? [] : [{ name: parameter, in: 'path', required: true, schema }]),
    ...query.map((name) => ({ ...named(name), in: 'query', schema })),
  ];
}

function named(member: string): { readonly name: string; readonly required: boolean } {
  return { name: member.replace('!', ''), required: member.endsWith('!') };
}

function bodyOf({ body = ['*'] }: Route): Readonly<Record<string, unknown>> {
  if (body.includes('*')) return { 'application/json': { schema: { type: 'object' } } };
  const members = body.map(named);
  const schema = {
    type: 'object',
    required: members.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(members.map(({ name }) => [name, {}])),
    additionalProperties: false,
  };
  return { 'application/json': { schema } };
}
