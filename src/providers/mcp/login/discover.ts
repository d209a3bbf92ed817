import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  IssuerMismatchError,
} from '@modelcontextprotocol/client';
import type { Challenge } from './challenge.js';
import { type GuardedFetch, refuseScheme } from './guarded-fetch.js';
import { LoginFailure, type LoginSettings, told } from './settings.js';

/** The authorization server and resource of a login. All values have been checked. */
export interface Found {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** The resource to request tokens for (RFC 8707), as the server writes it. */
  readonly resource: string;
  /** The scopes that the server says it needs. */
  readonly scopes: string | undefined;
}

export interface DiscoverParts {
  readonly server: string;
  readonly challenge: Challenge;
  readonly settings: LoginSettings;
  readonly fetch: GuardedFetch;
}

/** Finds the authorization server of a server: RFC 9728, then RFC 8414 or OpenID discovery. */
export async function discover(parts: DiscoverParts): Promise<Found> {
  const { server, settings } = parts;
  const named = await resourceOf(parts);
  const issuer = chosenIssuer(named?.authorizationServers ?? [new URL(server).origin], settings);
  const metadata = await metadataOf(issuer, parts.fetch);
  refuseUnfit(metadata);
  return {
    issuer: metadata.issuer,
    metadata,
    resource: named?.resource ?? withoutHash(server),
    scopes: named?.scopes,
  };
}

interface Resource {
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopes: string | undefined;
}

/** The issuer that the server names now; undefined if it names none or cannot be reached. */
export async function namedIssuer(parts: DiscoverParts): Promise<string | undefined> {
  const named = await resourceOf(parts).catch(() => undefined);
  return named === undefined ? undefined : chosenIssuer(named.authorizationServers, parts.settings);
}

/** Undefined if the server publishes no metadata; then its origin is used. */
async function resourceOf({ server, challenge, fetch }: DiscoverParts): Promise<Resource | undefined> {
  const url = challenge.resourceMetadata;
  if (url !== undefined && !URL.canParse(url))
    throw new LoginFailure('unfit', 'The metadata URL that the server names is invalid.');
  const options = url === undefined ? {} : { resourceMetadataUrl: url };
  const found = await discoverOAuthProtectedResourceMetadata(server, options, fetch).catch(
    (error: unknown) => {
      if (error instanceof LoginFailure) throw error;
      if (url === undefined && isAbsent(error)) return undefined;
      throw new LoginFailure('unfit', `The metadata of the server is invalid: ${why(error)}`);
    },
  );
  if (found === undefined) return undefined;
  const isOfServer =
    URL.canParse(found.resource) &&
    checkResourceAllowed({ requestedResource: withoutHash(server), configuredResource: found.resource });
  if (!isOfServer) {
    const said = told(found.resource);
    throw new LoginFailure(
      'unfit',
      `The metadata belongs to another server (${said}), so the login was stopped.`,
    );
  }
  return {
    resource: found.resource,
    authorizationServers: found.authorization_servers ?? [new URL(server).origin],
    scopes: found.scopes_supported?.join(' '),
  };
}

/** The SDK error for 404, which older servers return. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && /does not implement|HTTP 4\d\d/.test(error.message);
}

function chosenIssuer(named: readonly string[], { issuer }: LoginSettings): string {
  const [first] = named;
  if (first === undefined)
    throw new LoginFailure('unfit', 'The server does not name an authorization server.');
  if (issuer === undefined) return first;
  const isNamed = named.some((one) => sameIssuer(one, issuer));
  if (isNamed) return issuer;
  const said = told(named.join(', '));
  throw new LoginFailure('unfit', `The server names ${said}, but login.issuer allows only ${issuer}.`);
}

/** Only a trailing slash may differ; any other difference means another issuer. */
export function sameIssuer(one: string, other: string): boolean {
  const bare = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);
  return bare(one) === bare(other);
}

async function metadataOf(issuer: string, fetch: GuardedFetch): Promise<AuthorizationServerMetadata> {
  if (!URL.canParse(issuer))
    throw new LoginFailure('unfit', 'The authorization server URL that the server names is invalid.');
  try {
    const found = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
    if (found !== undefined) return found;
  } catch (error) {
    if (error instanceof LoginFailure) throw error;
    if (error instanceof IssuerMismatchError) {
      throw new LoginFailure('unfit', `The metadata of ${told(issuer)} belongs to another issuer.`);
    }
    throw new LoginFailure('unfit', `The metadata of ${told(issuer)} is invalid: ${why(error)}`);
  }
  throw new LoginFailure('none', `${told(issuer)} does not publish login metadata.`);
}

/** Without PKCE, anyone who sees the code could use it; without https, anyone on the network could. */
function refuseUnfit(metadata: AuthorizationServerMetadata): void {
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new LoginFailure(
      'unfit',
      `${told(metadata.issuer)} does not support PKCE with S256, so a login would not be secure.`,
    );
  }
  for (const address of [metadata.authorization_endpoint, metadata.token_endpoint])
    refuseScheme(new URL(address));
}

function withoutHash(server: string): string {
  const url = new URL(server);
  url.hash = '';
  return url.href;
}

/** Schema errors include the values found, which can be long, so they are replaced. */
function why(error: unknown): string {
  return error instanceof Error && error.name !== 'ZodError'
    ? told(error.message)
    : 'it has an unexpected format';
}
