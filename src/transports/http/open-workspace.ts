import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../core/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { AdminApi } from '../../ports/admin-api.js';
import { openAdmin } from '../admin-api/admin.js';
import type { WireCommon } from '../identity.js';
import { answerJson } from './answer-json.js';
import type { BodyRoom } from './body-room.js';
import { createCredentialSessions } from './credential-sessions.js';
import { httpAnswer } from './http-codes.js';
import type { CredentialWatch, Identify, Refused } from './identify.js';
import { type McpEndpoint, openMcpEndpoint } from './mcp-endpoint.js';
import type { ChooseByRoots } from './roots/by-roots.js';

/** One project: its gateway, its callers and its admin API. Several of them can share an address. */
export interface HttpWorkspace {
  /** The folder, with links resolved. */
  readonly folder: string;
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly identify: Identify;
  readonly credentials: CredentialWatch;
  readonly adminApi: AdminApi;
}

export interface OpenWorkspace {
  readonly folder: string;
  identify(request: IncomingMessage): ReturnType<Identify>;
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller, path: string): Promise<void>;
  /** For sessions that the client's roots lead here. */
  readonly moved: Pick<McpEndpoint, 'takeOver' | 'isMovedHere' | 'proceed'>;
  isReady(): boolean;
  tend(): void;
  close(): void;
}

export interface WorkspaceParts {
  readonly workspace: HttpWorkspace;
  readonly now: () => number;
  /** Shared by all workspaces of the address. */
  readonly bodyRoom: BodyRoom;
  /** Identifies the caller again in this workspace. Undefined: the request has been answered. */
  readonly identifyAgain: (
    request: IncomingMessage,
    response: ServerResponse,
  ) => Caller | undefined | Promise<Caller | undefined>;
  readonly byRoots?: ChooseByRoots | undefined;
}

const nowhere = httpAnswer('route.not_found', 'Not found. MCP is at /mcp.');

export function openWorkspace(parts: WorkspaceParts): OpenWorkspace {
  const { workspace, now, bodyRoom, ...choice } = parts;
  const { folder, gateway, common, credentials, adminApi } = workspace;
  const lasting = createCredentialSessions(gateway);
  const isAlive = (credential: string): boolean => credentials.isAlive(credential);
  const endpoint = openMcpEndpoint({ gateway, common, lasting, now, bodyRoom, isAlive, ...choice });
  const counts = () => ({ sessions: endpoint.sessions() });
  const admin = openAdmin({ gateway, common, lasting, adminApi, bodyRoom, counts });
  const stopWatching = credentials.onChange(() => endpoint.endVoid());
  let isReady = false;
  void gateway.registry.settle().then(() => {
    isReady = true;
  });
  return {
    folder,
    identify: (request) => workspace.identify(authorizationOf(request)),
    async handle(request, response, caller, path) {
      if (path === '/mcp') return endpoint.handle(request, response, caller);
      if (path === '/api' || path.startsWith('/api/')) return admin.handle(request, response, caller, path);
      answerJson(response, nowhere.status, nowhere.body);
    },
    moved: endpoint,
    isReady: () => isReady,
    tend: () => endpoint.tend(),
    close() {
      stopWatching();
      endpoint.close();
    },
  };
}

export function isRefused(found: Caller | Refused): found is Refused {
  return 'refused' in found;
}

/** Two headers are joined to a text that is not a valid token. */
function authorizationOf({ headersDistinct }: IncomingMessage): string | undefined {
  return headersDistinct['authorization']?.join(', ');
}
