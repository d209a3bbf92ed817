import type { AdminOperation } from '../../ports/admin-api.js';
/** One address of the admin API. The router and the OpenAPI file are both made from this table. */
export interface Route {
  readonly operation: 'openApi' | 'status' | 'servers' | 'tools' | 'tool' | 'call' | AdminOperation;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** At most one parameter, in braces. */
  readonly path: string;
  readonly summary: string;
  /** What may stand behind the question mark; with a `!`, what must. */
  readonly query?: readonly string[];
  /** The members of the body, in the same way; `*` where it is a document of its own kind. */
  readonly body?: readonly string[];
  /** It tells of what is hidden from others, or changes what others may do. */
  readonly isForAdmins?: true;
}

export const routes: readonly Route[] = [
  { operation: 'openApi', method: 'GET', path: '/api/openapi.json', summary: 'This description.' },
  {
    operation: 'status',
    method: 'GET',
    path: '/api/status',
    summary: 'Version and counts of the running gate.',
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
      'How many tools are listed and deferred, what they cost in tokens, and what each session has active.',
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
    summary: 'Calls a tool through the gate. The body is the arguments object; the answer is the MCP result.',
  },
  {
    operation: 'tokens',
    method: 'GET',
    path: '/api/tokens',
    summary: 'The tokens of clients, without their secrets.',
    isForAdmins: true,
  },
  {
    operation: 'createToken',
    method: 'POST',
    path: '/api/tokens',
    summary:
      'Makes a token: `principal`, and if wanted `profile`, `tools`, `workspace`, `expires`, `label`, or the id of a `parent`. The answer holds its secret, which is shown this once.',
    isForAdmins: true,
  },
  {
    operation: 'revokeToken',
    method: 'DELETE',
    path: '/api/tokens/{id}',
    summary: 'Revokes a token, and with it every token that was made from it.',
    isForAdmins: true,
  },
  {
    operation: 'profiles',
    method: 'GET',
    path: '/api/profiles',
    summary: 'The profiles: what they extend, how many tools they give, which one applies by default.',
    isForAdmins: true,
  },
  {
    operation: 'profile',
    method: 'GET',
    path: '/api/profiles/{name}',
    summary: 'One profile: its entries, with `resolved=true` also those it inherits, and what they mean now.',
    query: ['resolved'],
    isForAdmins: true,
  },
  {
    operation: 'principal',
    method: 'GET',
    path: '/api/principals/{principal}',
    summary: 'All that a principal or role has, and what it comes to.',
    isForAdmins: true,
  },
  {
    operation: 'assignProfile',
    method: 'PUT',
    path: '/api/principals/{principal}/profile',
    summary: 'Gives a principal or role a profile, in place of the one it had; `none` takes it away.',
    body: ['profile!'],
    isForAdmins: true,
  },
  {
    operation: 'grant',
    method: 'POST',
    path: '/api/grants',
    summary:
      'Grants a tool, a set of tools or a role; with `block` takes it away; with `admin` gives the zone.',
    body: ['principal!', 'what', 'until', 'see', 'block', 'admin', 'force'],
    isForAdmins: true,
  },
  {
    operation: 'revoke',
    method: 'DELETE',
    path: '/api/grants',
    summary: 'Takes back what was granted, and says what is still there and through what.',
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
    summary: 'Why, by which tuples, and what would change it.',
    query: ['principal!', 'what!', 'action', 'token', 'profile'],
    isForAdmins: true,
  },
  {
    operation: 'exportAccess',
    method: 'GET',
    path: '/api/access',
    summary: 'Every grant of the zone, as a document.',
    isForAdmins: true,
  },
  {
    operation: 'importAccess',
    method: 'POST',
    path: '/api/access',
    summary: 'Takes such a document in: all of it, or nothing where anything in it is wrong.',
    query: ['replace', 'dryRun', 'force'],
    body: ['*'],
    isForAdmins: true,
  },
  {
    operation: 'testAccess',
    method: 'POST',
    path: '/api/access/test',
    summary: 'Holds the rights against a document of assertions.',
    body: ['*'],
    isForAdmins: true,
  },
  {
    operation: 'audit',
    method: 'GET',
    path: '/api/audit',
    summary: 'What was called, refused and changed, the newest first.',
    query: ['principal', 'denied', 'action', 'limit', 'before'],
    isForAdmins: true,
  },
  {
    operation: 'pruneAudit',
    method: 'POST',
    path: '/api/audit/prune',
    summary:
      'Removes records that are older than `olderThan`, such as `90d` or `2026-01-31`; with `dryRun` only counts them.',
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
    ? 'Foreign Host or Origin, or the caller is no admin'
    : 'Foreign Host or Origin';
  return {
    operationId: route.operation,
    summary: route.summary,
    ...((parameter ?? route.query) !== undefined && { parameters: parametersOf(route, parameter) }),
    ...(takesBody(route) && { requestBody: { required: true, content: bodyOf(route) } }),
    responses: {
      200: { description: 'OK', content: json },
      401: { description: 'No token, or a wrong one', content: error },
      403: { description: forbidden, content: error },
      503: { description: 'The gate cannot find out who the caller is, or what it may do', content: error },
      ...(parameter && { 404: { description: 'Not found', content: error } }),
      ...((takesBody(route) || route.query !== undefined) && {
        400: { description: 'The body or the query is not what is wanted', content: error },
      }),
      ...(route.operation === 'call' && {
        502: { description: 'The call failed before the tool could answer', content: error },
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
