import type { JsonText } from './json-text.js';

export type PrincipalKind = 'user' | 'agent' | 'service';

/** Who calls. Minted by the gate, never declared by the caller. */
export interface Principal {
  readonly kind: PrincipalKind;
  readonly id: string;
  readonly zone: string;
}

/**
 * One step of the way on which rights come to a caller. What a caller may do is what every link of its chain allows,
 * judged anew each time: a parent that shrinks takes its children with it.
 */
export interface Link {
  readonly principal: Principal;
  /** `own`: what was granted to the principal. `inherited`: whatever the links before it allow. `all`: the operator. */
  readonly rights: 'own' | 'inherited' | 'all';
  /** Allows no more than this profile; and no less, for a principal of its `own` without any profile. */
  readonly profile?: string;
  /** Allows no more than tools of these names and patterns. */
  readonly tools?: readonly string[];
  /** The credential that it came by. Once that is void, the link allows nothing. */
  readonly tokenId?: string;
  /** False: it begins without the tools that the one before it has found. */
  readonly inheritsActive?: boolean;
}

/** Who is there, as the gate found out: never what somebody says of himself. */
export interface Caller {
  readonly principal: Principal;
  /** The one who started it all first, the one who calls last. */
  readonly chain: readonly Link[];
  /** Which credential was shown; no secret. Sessions and streams belong to it. */
  readonly credential: string;
}

/** What a session lives as long as: the connection (stdio), the session id (legacy HTTP), the credential (2026-07-28). */
export type SessionScope = 'connection' | 'session' | 'credential';

export interface Session {
  readonly id: string;
  readonly principal: Principal;
  readonly scope: SessionScope;
  readonly parentSession?: string;
  /** False: it begins without the tools that its parent has made available. */
  readonly inheritsActive?: boolean;
  /** Absent: the principal's own rights, and no more. */
  readonly chain?: readonly Link[];
}

export type Era = 'legacy' | 'modern';

/** What is known of the program at the other end. Believed for courtesy only, never for rights. */
export interface Client {
  readonly era: Era;
  readonly protocolVersion: string;
  /** The `clientInfo` object as sent. */
  readonly info?: JsonText;
  /** The `capabilities` object as sent. */
  readonly capabilities: JsonText;
}

/** One text per principal: no zone can be named so that two principals look alike. */
export function principalKey(principal: Principal): string {
  return `${principal.zone.replaceAll('/', '//')}/${principal.kind}:${principal.id}`;
}
