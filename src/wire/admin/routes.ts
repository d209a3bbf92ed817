/** One address of the admin API. The router and the OpenAPI file are both made from this table. */
export interface Route {
  readonly operation: 'openApi' | 'status' | 'servers' | 'tools' | 'tool' | 'call';
  readonly method: 'GET' | 'POST';
  /** At most one parameter, in braces. */
  readonly path: string;
  readonly summary: string;
}

export const routes: readonly Route[] = [
  { operation: 'openApi', method: 'GET', path: '/api/openapi.json', summary: 'This description.' },
  {
    operation: 'status',
    method: 'GET',
    path: '/api/status',
    summary: 'Version and counts of the running gate.',
  },
  { operation: 'servers', method: 'GET', path: '/api/servers', summary: 'State of every configured server.' },
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
  const json = { 'application/json': { schema: { type: 'object' } } };
  const error = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
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
      403: { description: 'Foreign Host or Origin', content: error },
      ...(parameter && { 404: { description: 'Not found', content: error } }),
      ...(route.method === 'POST' && {
        400: { description: 'The body is no JSON object', content: error },
        502: { description: 'The call failed before the tool could answer', content: error },
      }),
    },
  };
}
