import type { OAuthClientInformationMixed } from '@modelcontextprotocol/client';
import { isRecord } from '../../../lib/is-record.js';
import { sameIssuer, type Found } from './discover.js';
import type { GuardedFetch } from './guarded-fetch.js';
import type { KeptClient, KeptLogin } from './kept-login.js';
import { LoginFailure, type LoginSettings, told } from './settings.js';

export interface ClientParts {
  readonly found: Found;
  readonly settings: LoginSettings;
  readonly kept: KeptLogin | undefined;
  readonly redirect: string;
  readonly scope: string | undefined;
  readonly fetch: GuardedFetch;
}

/** The client for this authorization server: configured, from a metadata document, or registered now. */
export async function clientFor(parts: ClientParts): Promise<KeptClient> {
  const { found, settings, redirect } = parts;
  const { clientId, clientSecret, clientDocument } = settings;
  if (clientId !== undefined) {
    refuseAnotherIssuer(parts);
    return { id: clientId, ...(clientSecret !== undefined && { secret: clientSecret }) };
  }
  if (clientDocument !== undefined && takesDocuments(found)) return { id: clientDocument };
  const before = registeredClient(parts.kept, found.issuer);
  if (before?.redirect === redirect) return before;
  return register(parts);
}

/** The client that was registered there before. */
export function registeredClient(kept: KeptLogin | undefined, issuer: string): KeptClient | undefined {
  const grant = kept !== undefined && Object.hasOwn(kept.grants, issuer) ? kept.grants[issuer] : undefined;
  return grant?.client?.redirect === undefined ? undefined : grant.client;
}

/** A client secret is sent to one authorization server only, so that a server cannot redirect it to another. */
function refuseAnotherIssuer({ found, settings, kept }: ClientParts): void {
  const isFree = settings.clientSecret === undefined || settings.issuer !== undefined;
  if (isFree || kept?.issuer === undefined || sameIssuer(kept.issuer, found.issuer)) return;
  throw new LoginFailure(
    'unfit',
    `The server now names the authorization server ${told(found.issuer)} instead of ${told(kept.issuer)}, so the client secret was not sent. If the change is correct, set login.issuer to the new one.`,
  );
}

function takesDocuments({ metadata }: Found): boolean {
  return metadata['client_id_metadata_document_supported'] === true;
}

async function register({ found, redirect, scope, fetch }: ClientParts): Promise<KeptClient> {
  const { metadata, issuer } = found;
  if (metadata.registration_endpoint === undefined) {
    throw new LoginFailure(
      'unfit',
      `${told(issuer)} does not support client registration. Register a client there and set login.client_id.`,
    );
  }
  const method = methodFor(metadata.token_endpoint_auth_methods_supported);
  const clientMetadata = {
    client_name: 'Tidegate',
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: 'native',
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
  const body = JSON.stringify({ ...clientMetadata, ...(scope !== undefined && { scope }) });
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(metadata.registration_endpoint, { method: 'POST', headers, body });
  if (!response.ok) {
    const message = `${told(issuer)} refused to register a client: HTTP ${String(response.status)}.`;
    throw new LoginFailure(response.status < 500 ? 'denied' : 'unreachable', message);
  }
  return readRegistration(await response.json().catch(() => undefined), redirect, issuer);
}

function readRegistration(given: unknown, redirect: string, issuer: string): KeptClient {
  const { client_id, client_secret, token_endpoint_auth_method } = isRecord(given) ? given : {};
  if (typeof client_id !== 'string' || client_id === '')
    throw new LoginFailure('unfit', `${told(issuer)} returned no client ID for the registration.`);
  return {
    id: client_id,
    redirect,
    ...(typeof client_secret === 'string' && { secret: client_secret }),
    ...(typeof token_endpoint_auth_method === 'string' && { method: token_endpoint_auth_method }),
  };
}

/** Prefers a public client, because a program on a user's machine cannot keep a secret. */
function methodFor(supported: readonly string[] | undefined): string | undefined {
  return ['none', 'client_secret_basic', 'client_secret_post'].find(
    (one) => supported?.includes(one) === true,
  );
}

/** Converts the client to the SDK format. */
export function clientInformation({ id, secret, method }: KeptClient): OAuthClientInformationMixed {
  return {
    client_id: id,
    ...(secret !== undefined && { client_secret: secret }),
    ...(method !== undefined && { token_endpoint_auth_method: method }),
  };
}
