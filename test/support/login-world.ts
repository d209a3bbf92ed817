import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What an authorization server, or the server behind it, does wrong. All of it can be switched while it runs. */
export interface LoginFaults {
  /** The issuer that its metadata names. */
  issuer?: string;
  /** The `iss` that it sends back with the browser; null sends none. */
  iss?: string | null;
  state?: string;
  noPkce?: true;
  tokenType?: string;
  hugeMetadata?: true;
  silentToken?: true;
  brokenToken?: true;
  /** Metadata is to be found elsewhere. */
  redirectMetadata?: string;
  tokenEndpoint?: string;
  denies?: true;
  forgetsClients?: true;
  resource?: string;
}

export interface Seen {
  readonly at: 'as' | 'mcp';
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly text: string;
}

/** A protected MCP server and its authorization server, with the real wire format, on two ports of loopback. */
export interface LoginWorld {
  readonly url: string;
  readonly issuer: string;
  readonly faults: LoginFaults;
  /** Every request that came to either. */
  readonly seen: readonly Seen[];
  /** Every secret that was ever given out. */
  readonly secrets: readonly string[];
  asked(path: string): readonly Seen[];
  /** Ends all access tokens, as time would. */
  expire(): void;
  /** Ends everything that was granted. */
  revokeAll(): void;
  close(): Promise<void>;
}

export interface WorldOptions {
  /** Stands in every secret. */
  readonly mark: string;
  readonly expiresIn?: number;
  readonly noRefresh?: true;
  readonly noRegistration?: true;
  readonly clients?: Readonly<Record<string, string>>;
}

interface Grant {
  readonly scope: string;
  readonly family: string;
  isGood: boolean;
}

export async function openLoginWorld(options: WorldOptions): Promise<LoginWorld> {
  const faults: LoginFaults = {};
  const seen: Seen[] = [];
  const secrets: string[] = [];
  const codes = new Map<
    string,
    { readonly challenge: string; readonly scope: string; readonly redirect: string }
  >();
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant>();
  const clients = new Map<string, string | undefined>(Object.entries(options.clients ?? {}));
  const mint = (kind: string): string => {
    const secret = `${options.mark}-${kind}-${randomBytes(12).toString('hex')}`;
    secrets.push(secret);
    return secret;
  };
  const as = createServer((request, response) => void serve('as', request, response, authorize));
  const mcp = createServer((request, response) => void serve('mcp', request, response, protect));
  const [issuer, origin] = await Promise.all([listen(as), listen(mcp)]);
  const url = `${origin}/mcp`;

  async function serve(
    at: Seen['at'],
    request: IncomingMessage,
    response: ServerResponse,
    answer: (one: Seen, response: ServerResponse) => void,
  ): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    const one: Seen = {
      at,
      method: request.method ?? '',
      path: pathname,
      query: searchParams,
      authorization: request.headers.authorization,
      text: Buffer.concat(parts).toString('utf8'),
    };
    seen.push(one);
    answer(one, response);
  }

  function authorize(one: Seen, response: ServerResponse): void {
    const routes: Readonly<Record<string, () => void>> = {
      '/.well-known/oauth-authorization-server': () => metadata(response),
      '/register': () => register(one, response),
      '/authorize': () => approve(one, response),
      '/token': () => token(one, response),
      '/revoke': () => revoke(one, response),
    };
    const route = routes[one.path];
    if (route === undefined) json(response, 404, {});
    else route();
  }

  function metadata(response: ServerResponse): void {
    if (faults.redirectMetadata !== undefined) {
      response.writeHead(302, { location: faults.redirectMetadata }).end();
      return;
    }
    json(response, 200, {
      issuer: faults.issuer ?? issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: faults.tokenEndpoint ?? `${issuer}/token`,
      revocation_endpoint: `${issuer}/revoke`,
      ...(options.noRegistration === undefined && { registration_endpoint: `${issuer}/register` }),
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
      ...(faults.noPkce === undefined && { code_challenge_methods_supported: ['S256'] }),
      ...(faults.hugeMetadata && { filler: 'x'.repeat(3 * 1024 * 1024) }),
    });
  }

  function register({ text }: Seen, response: ServerResponse): void {
    const id = `client-${randomBytes(6).toString('hex')}`;
    clients.set(id, undefined);
    json(response, 201, { ...(JSON.parse(text) as object), client_id: id });
  }

  function approve({ query }: Seen, response: ServerResponse): void {
    const redirect = query.get('redirect_uri') ?? '';
    const isKnown = clients.has(query.get('client_id') ?? '') && faults.forgetsClients === undefined;
    const isFit = query.get('code_challenge_method') === 'S256' && query.get('resource') === url;
    if (!isKnown || !isFit) return json(response, 400, { error: 'invalid_request' });
    const back = new URL(redirect);
    back.searchParams.set('state', faults.state ?? query.get('state') ?? '');
    const iss = faults.iss === undefined ? issuer : faults.iss;
    if (iss !== null) back.searchParams.set('iss', iss);
    if (faults.denies) back.searchParams.set('error', 'access_denied');
    else {
      const code = mint('code');
      const challenge = query.get('code_challenge') ?? '';
      codes.set(code, { challenge, scope: query.get('scope') ?? '', redirect });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  function token({ text, authorization }: Seen, response: ServerResponse): void {
    if (faults.silentToken) return;
    if (faults.brokenToken) return json(response, 503, { error: 'temporarily_unavailable' });
    const form = new URLSearchParams(text);
    if (!isClient(form, authorization) || form.get('resource') !== url)
      return json(response, 400, { error: 'invalid_client' });
    const granted = form.get('grant_type') === 'refresh_token' ? rotated(form) : redeemed(form);
    if (granted === undefined)
      return json(response, 400, { error: 'invalid_grant', error_description: `no: ${text}` });
    const grant = { ...granted, isGood: true };
    const [given, next] = [mint('access'), mint('refresh')];
    access.set(given, grant);
    refresh.set(next, { ...grant });
    json(response, 200, {
      access_token: given,
      token_type: faults.tokenType ?? 'Bearer',
      expires_in: options.expiresIn ?? 3600,
      scope: grant.scope,
      ...(options.noRefresh === undefined && { refresh_token: next }),
    });
  }

  function isClient(form: URLSearchParams, authorization: string | undefined): boolean {
    const [id = '', secret] =
      authorization?.startsWith('Basic ') === true
        ? Buffer.from(authorization.slice(6), 'base64').toString('utf8').split(':').map(decodeURIComponent)
        : [form.get('client_id') ?? '', form.get('client_secret') ?? undefined];
    return clients.has(id) && clients.get(id) === secret;
  }

  function redeemed(form: URLSearchParams): Omit<Grant, 'isGood'> | undefined {
    const code = form.get('code') ?? '';
    const known = codes.get(code);
    codes.delete(code);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = known?.challenge === verifier && known.redirect === form.get('redirect_uri');
    return isGood ? { scope: known.scope, family: randomBytes(6).toString('hex') } : undefined;
  }

  /** Each refresh token is good once. One that comes twice was stolen: then nothing of its family is good any more. */
  function rotated(form: URLSearchParams): Omit<Grant, 'isGood'> | undefined {
    const known = refresh.get(form.get('refresh_token') ?? '');
    if (known === undefined) return undefined;
    const { scope, family, isGood } = known;
    if (isGood) {
      known.isGood = false;
      return { scope, family };
    }
    for (const grant of [...access.values(), ...refresh.values()])
      if (grant.family === family) grant.isGood = false;
    return undefined;
  }

  function revoke({ text }: Seen, response: ServerResponse): void {
    const gone = new URLSearchParams(text).get('token') ?? '';
    for (const grant of [access.get(gone), refresh.get(gone)]) if (grant !== undefined) grant.isGood = false;
    json(response, 200, {});
  }

  function protect(one: Seen, response: ServerResponse): void {
    const resourceMetadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    if (one.path === new URL(resourceMetadata).pathname) {
      const resource = faults.resource ?? url;
      return json(response, 200, { resource, authorization_servers: [issuer], scopes_supported: ['read'] });
    }
    if (one.path !== '/mcp' || one.method !== 'POST') return json(response, 405, {});
    const grant = access.get(one.authorization?.replace(/^Bearer /, '') ?? '');
    if (grant?.isGood !== true) {
      response.setHeader('www-authenticate', `Bearer scope="read", resource_metadata="${resourceMetadata}"`);
      return json(response, 401, { error: 'invalid_token' });
    }
    const message = JSON.parse(one.text) as Rpc;
    if (message.params?.name === 'write' && !grant.scope.split(' ').includes('write')) {
      const challenge = `Bearer error="insufficient_scope", scope="write", resource_metadata="${resourceMetadata}"`;
      response.setHeader('www-authenticate', challenge);
      return json(response, 403, { error: 'insufficient_scope' });
    }
    answerRpc(message, response);
  }

  return {
    url,
    issuer,
    faults,
    seen,
    secrets,
    asked: (path) => seen.filter((one) => one.path === path),
    expire: () => access.clear(),
    revokeAll() {
      for (const grant of [...access.values(), ...refresh.values()]) grant.isGood = false;
    },
    async close() {
      await Promise.all([end(as), end(mcp)]);
    },
  };
}

interface Rpc {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

const object = { type: 'object' };
const results: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'protected', version: '1' },
  },
  'tools/list': { tools: ['whoami', 'write'].map((name) => ({ name, inputSchema: object })) },
  'tools/call': { content: [{ type: 'text', text: 'done' }] },
};

function answerRpc({ id, method }: Rpc, response: ServerResponse): void {
  if (id === undefined) return void response.writeHead(202).end();
  const result = results[method];
  if (result === undefined) {
    const error = { code: -32601, message: 'Method not found' };
    return json(response, 404, { jsonrpc: '2.0', id, error });
  }
  json(response, 200, { jsonrpc: '2.0', id, result });
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
    });
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Goes where a browser would go, and gives the last page. */
export async function followLink(link: string): Promise<{ readonly status: number; readonly text: string }> {
  let at = link;
  for (let hop = 0; hop < 5; hop += 1) {
    const response = await fetch(at, { redirect: 'manual' });
    const text = await response.text();
    const next = response.headers.get('location');
    if (next === null) return { status: response.status, text };
    at = new URL(next, at).href;
  }
  throw new Error(`goes in circles: ${link}`);
}
