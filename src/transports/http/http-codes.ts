/** Error codes of the HTTP endpoints before any call, in the response body and for `mcp --via` clients. */
export const httpCodes = {
  'auth.required': {
    status: 401,
    meaning: 'The request has no valid token for this gateway.',
    remedy: 'Ask the operator of the gateway for one: `tidegate token create --as agent:alice`.',
  },
  'access.unavailable': {
    status: 503,
    meaning: 'The gateway cannot identify the caller: its access store is unavailable.',
    remedy: 'Try again. The operator can find the reason with `tidegate doctor`.',
  },
  'workspace.not_found': {
    status: 404,
    meaning: 'This gateway does not serve the workspace, or the token is not valid for it.',
    remedy: 'Serve it with `tidegate serve --workspace <folder>`, and use a token for that workspace.',
  },
  'route.not_found': {
    status: 404,
    meaning: 'This address does not exist on the gateway.',
    remedy: 'MCP is at `/mcp`; `/api/openapi.json` describes the other addresses.',
  },
} as const satisfies Readonly<
  Record<string, { readonly status: number; readonly meaning: string; readonly remedy: string }>
>;

export type HttpCode = keyof typeof httpCodes;

/** A response with such a code, with the status from the table. */
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
