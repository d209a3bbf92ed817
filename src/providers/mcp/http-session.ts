import type { IncomingHttpHeaders } from 'node:http';
import type { Protocol } from '../../core/index.js';
import { headerValue } from './header-value.js';
import type { About } from './transport.js';

/** The negotiated session of an endpoint, and the headers for it. */
export interface HttpSession {
  readonly protocol: Protocol | undefined;
  readonly id: string | undefined;
  agree(protocol: Protocol, protocolVersion: string): void;
  /** Reads the session id from the response to `initialize`. */
  begin(headers: IncomingHttpHeaders): void;
  forget(): void;
  headersFor(about: About | undefined): Record<string, string>;
}

const probeVersion = '2026-07-28';
const visible = /^[\x21-\x7e]{1,1024}$/;

export function createHttpSession(configured: Readonly<Record<string, string>>): HttpSession {
  const base = Object.fromEntries(
    Object.entries(configured).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let protocol: Protocol | undefined;
  let version: string | undefined;
  let id: string | undefined;

  /** The protocol version of one message. A message that opens a connection uses the version that it opens. */
  function eraOf(about: About | undefined): Protocol | 'opening' {
    if (about?.method === 'initialize') return 'opening';
    return about?.method === 'server/discover' ? 'modern' : (protocol ?? 'opening');
  }

  return {
    get protocol() {
      return protocol;
    },
    get id() {
      return id;
    },
    agree(nextProtocol, protocolVersion) {
      protocol = nextProtocol;
      version = protocolVersion;
    },
    begin(headers) {
      const given = headers['mcp-session-id'];
      if (typeof given === 'string' && visible.test(given)) id = given;
    },
    forget() {
      id = undefined;
    },
    headersFor(about) {
      const headers = {
        ...base,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const spoken = eraOf(about);
      if (spoken === 'modern') return { ...headers, ...modernHeaders(about, version ?? probeVersion) };
      if (spoken === 'opening') return headers;
      return {
        ...headers,
        ...(version !== undefined && { 'mcp-protocol-version': version }),
        ...(id !== undefined && { 'mcp-session-id': id }),
      };
    },
  };
}

/** Facts from the body as headers, so that proxies can see them. */
function modernHeaders(about: About | undefined, version: string): Record<string, string> {
  return {
    'mcp-protocol-version': version,
    ...(about && { 'mcp-method': about.method }),
    ...(about?.name !== undefined && { 'mcp-name': headerValue(about.name) }),
    ...about?.paramHeaders,
  };
}
