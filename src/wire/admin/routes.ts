/** What the gate's own rooms do for the admin API, beside what every caller may ask. */
export const deskOperations = ['tokens', 'createToken', 'revokeToken'] as const;
export type DeskOperation = (typeof deskOperations)[number];

/** One address of the admin API. The router and the OpenAPI file are both made from this table. */
export interface Route {
  readonly operation: 'openApi' | 'status' | 'servers' | 'tools' | 'tool' | 'call' | DeskOperation;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** At most one parameter, in braces. */
  readonly path: string;
  readonly summary: string;
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
      'Makes a token: `principal`, and if wanted `profile`, `tools`, `expires`, `label`, or the id of a `parent`. The answer holds its secret, which is shown this once.',
    isForAdmins: true,
  },
  {
    operation: 'revokeToken',
    method: 'DELETE',
    path: '/api/tokens/{id}',
    summary: 'Revokes a token, and with it every token that was made from it.',
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
              properties: { code: { type: 'string' }, message: { type: 'string' } },
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
    ...(parameter && {
      parameters: [{ name: parameter, in: 'path', required: true, schema: { type: 'string' } }],
    }),
    ...(route.method === 'POST' && { requestBody: { required: true, content: json } }),
    responses: {
      200: { description: 'OK', content: json },
      401: { description: 'No token, or a wrong one', content: error },
      403: { description: forbidden, content: error },
      503: { description: 'The gate cannot find out who the caller is, or what it may do', content: error },
      ...(parameter && { 404: { description: 'Not found', content: error } }),
      ...(route.method === 'POST' && {
        400: { description: 'The body is no JSON object, or not what is wanted', content: error },
      }),
      ...(route.operation === 'call' && {
        502: { description: 'The call failed before the tool could answer', content: error },
      }),
    },
  };
}
