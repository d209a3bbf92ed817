/** What the doors of HTTP answer with before anything is called: in the body, and to those behind `mcp --via`. */
export const httpCodes = {
  'auth.required': {
    status: 401,
    meaning: 'The request has no token of this gate, or one that is good no longer.',
    remedy: 'Have whoever runs the gate make one: `tidegate token create --as agent:alice`.',
  },
  'access.unavailable': {
    status: 503,
    meaning: 'The gate cannot find out who is asking: its store of grants does not answer.',
    remedy: 'Try again; whoever runs the gate sees why with `tidegate doctor`.',
  },
  'workspace.not_found': {
    status: 404,
    meaning: 'This gateway does not serve the workspace, or the token is not valid for it.',
    remedy: 'Serve it with `tidegate serve --workspace <folder>`, and use a token of that workspace.',
  },
  'route.not_found': {
    status: 404,
    meaning: 'The gate has nothing at this address.',
    remedy: 'MCP is at `/mcp`; `/api/openapi.json` describes the other addresses.',
  },
} as const satisfies Readonly<
  Record<string, { readonly status: number; readonly meaning: string; readonly remedy: string }>
>;

export type HttpCode = keyof typeof httpCodes;

/** An answer with such a code: its status is that of the table. */
export function httpAnswer(
  code: HttpCode,
  message: string,
  next?: string,
): { readonly status: number; readonly body: string } {
  return {
    status: httpCodes[code].status,
    body: JSON.stringify({ error: { code, message, ...(next !== undefined && { next }) } }),
  };
}
