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

/** Where and for what to log in. Everything in it was checked. */
export interface Found {
  readonly issuer: string;
  readonly metadata: AuthorizationServerMetadata;
  /** What tokens are asked for (RFC 8707), as the server spells it. */
  readonly resource: string;
  /** What the server says that its callers need. */
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

/** The issuer that the server names now; undefined where it names none, or cannot be asked. */
export async function namedIssuer(parts: DiscoverParts): Promise<string | undefined> {
  const named = await resourceOf(parts).catch(() => undefined);
  return named === undefined ? undefined : chosenIssuer(named.authorizationServers, parts.settings);
}

/** Undefined where the server publishes nothing: then its own origin is asked. */
async function resourceOf({ server, challenge, fetch }: DiscoverParts): Promise<Resource | undefined> {
  const url = challenge.resourceMetadata;
  if (url !== undefined && !URL.canParse(url))
    throw new LoginFailure('unfit', 'The server names metadata at an address that is none.');
  const options = url === undefined ? {} : { resourceMetadataUrl: url };
  const found = await discoverOAuthProtectedResourceMetadata(server, options, fetch).catch(
    (error: unknown) => {
      if (error instanceof LoginFailure) throw error;
      if (url === undefined && isAbsent(error)) return undefined;
      throw new LoginFailure('unfit', `The metadata of the server cannot be used: ${why(error)}`);
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
      `The metadata is that of another server (${said}): nothing was asked for.`,
    );
  }
  return {
    resource: found.resource,
    authorizationServers: found.authorization_servers ?? [new URL(server).origin],
    scopes: found.scopes_supported?.join(' '),
  };
}

/** What the SDK throws for 404, which is all that older servers say. */
function isAbsent(error: unknown): boolean {
  return error instanceof Error && /does not implement|HTTP 4\d\d/.test(error.message);
}

function chosenIssuer(named: readonly string[], { issuer }: LoginSettings): string {
  const [first] = named;
  if (first === undefined) throw new LoginFailure('unfit', 'The server names no authorization server.');
  if (issuer === undefined) return first;
  const isNamed = named.some((one) => sameIssuer(one, issuer));
  if (isNamed) return issuer;
  const said = told(named.join(', '));
  throw new LoginFailure('unfit', `The server names ${said}, and login.issuer allows ${issuer} only.`);
}

/** Only a last slash may differ: whatever else differs is somebody else. */
export function sameIssuer(one: string, other: string): boolean {
  const bare = (text: string): string => (text.endsWith('/') ? text.slice(0, -1) : text);
  return bare(one) === bare(other);
}

async function metadataOf(issuer: string, fetch: GuardedFetch): Promise<AuthorizationServerMetadata> {
  if (!URL.canParse(issuer)) throw new LoginFailure('unfit', 'The server names no address to log in at.');
  try {
    const found = await discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch });
    if (found !== undefined) return found;
  } catch (error) {
    if (error instanceof LoginFailure) throw error;
    if (error instanceof IssuerMismatchError) {
      throw new LoginFailure('unfit', `The metadata of ${told(issuer)} is that of another issuer.`);
    }
    throw new LoginFailure('unfit', `The metadata of ${told(issuer)} cannot be used: ${why(error)}`);
  }
  throw new LoginFailure('none', `${told(issuer)} says nowhere how to log in.`);
}

/** Without PKCE whoever sees the code could use it; without https whoever stands between. */
function refuseUnfit(metadata: AuthorizationServerMetadata): void {
  if (metadata.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new LoginFailure(
      'unfit',
      `${told(metadata.issuer)} does not take PKCE with S256: no login is safe there.`,
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

/** Errors of a schema list what they found, which may be much. */
function why(error: unknown): string {
  return error instanceof Error && error.name !== 'ZodError'
    ? told(error.message)
    : 'it is not what it should be';
}
