import type { JsonText } from '../lib/json-text.js';

export type PrincipalKind = 'user' | 'agent' | 'service';

/** The caller's identity. Determined by the gateway, never declared by the caller. */
export interface Principal {
  readonly kind: PrincipalKind;
  readonly id: string;
  readonly zone: string;
}

/**
 * One step of a delegation. A caller may do only what every link of its chain allows. This is evaluated for each call, so
 * children lose a right together with their parent.
 */
export interface Delegation {
  readonly principal: Principal;
  /** `own`: the principal's grants. `inherited`: whatever the previous links allow. `all`: the operator. */
  readonly rights: 'own' | 'inherited' | 'all';
  /** Limits the link to this profile. Also grants the profile to an `own` principal that has none. */
  readonly profile?: string;
  /** Limits the link to tools that match these names and patterns. */
  readonly tools?: readonly string[];
  /** The credential behind the link. Once it is revoked or expired, the link allows nothing. */
  readonly tokenId?: string;
  /** False: starts without the active tools of the previous link. */
  readonly inheritsActive?: boolean;
}

/** The authenticated caller. Never based on what the caller claims. */
export interface Caller {
  readonly principal: Principal;
  /** From the original principal to the current caller. */
  readonly chain: readonly Delegation[];
  /** Id of the credential used; not a secret. Sessions and streams belong to it. */
  readonly credential: string;
  /** The only workspace that the credential is valid for. Default: any workspace that is served. */
  readonly workspace?: string;
}

/** A session's lifetime: the connection (stdio), session id (HTTP up to 2025-11-25) or credential (2026-07-28). */
export type SessionScope = 'connection' | 'session' | 'credential';

export interface Session {
  readonly id: string;
  readonly principal: Principal;
  readonly scope: SessionScope;
  readonly parentSession?: string;
  /** False: starts without its parent's active tools. */
  readonly inheritsActive?: boolean;
  /** Absent: the principal's own rights only. */
  readonly chain?: readonly Delegation[];
  /** Set only by the workflow engine for the call of one operation: gives access to tools with reach `workflow`. */
  readonly isOperation?: true;
}

export type Protocol = 'legacy' | 'modern';

/** What the client says about itself. Never used to decide rights. */
export interface Client {
  readonly protocol: Protocol;
  readonly protocolVersion: string;
  /** The `clientInfo` object as received. */
  readonly info?: JsonText;
  /** The `capabilities` object as received. */
  readonly capabilities: JsonText;
}

/** A unique key per principal. The zone is escaped so that no two principals share a key. */
export function principalKey(principal: Principal): string {
  return `${principal.zone.replaceAll('/', '//')}/${principal.kind}:${principal.id}`;
}

/**
 * The principal that a session's resource use is charged to: the first in its chain that is not the operator, so that
 * starting other agents gives no extra share. Undefined: the operator.
 */
export function shareOwner({ principal, chain }: Pick<Session, 'principal' | 'chain'>): string | undefined {
  if (chain === undefined) return principalKey(principal);
  const delegation = chain.find(({ rights }) => rights !== 'all');
  return delegation && principalKey(delegation.principal);
}

/**
 * Whether the caller is the operator without any limit. The only such check: an empty chain is not the operator, and
 * neither is a link with a credential, which may be revoked.
 */
export function isOperator({ chain = [] }: Pick<Session, 'chain'>): boolean {
  return chain.length > 0 && chain.every(isUnbound);
}

function isUnbound({ rights, profile, tools, tokenId }: Delegation): boolean {
  return rights === 'all' && profile === undefined && tools === undefined && tokenId === undefined;
}
