import type { JsonText } from './json-text.js';

export type PrincipalKind = 'user' | 'agent' | 'service';

/** Who calls. Minted by the gate, never declared by the caller. */
export interface Principal {
  readonly kind: PrincipalKind;
  readonly id: string;
  readonly zone: string;
}

/** What a session lives as long as: the connection (stdio), the session id (legacy HTTP), the credential (2026-07-28). */
export type SessionScope = 'connection' | 'session' | 'credential';

export interface Session {
  readonly id: string;
  readonly principal: Principal;
  readonly scope: SessionScope;
  readonly parentSession?: string;
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
