import { principalKey } from '../../core/index.js';
import type { ExposureMode } from '../../ports/catalog.js';
import { type SessionView, tokensIn } from '../../exposure/index.js';

/** Where processes publish their active tools. */
export interface LiveParts {
  readonly stateDirectory: string;
  /** Only sessions with this configuration file. */
  readonly file: string | undefined;
}

/** The active tools of a session, for reports. */
export interface ContextSession {
  readonly session: string;
  readonly principal: string;
  /** The process of the session, if it is another one. */
  readonly pid?: number;
  readonly client?: string;
  readonly mode: ExposureMode;
  readonly active: readonly { readonly name: string; readonly tokens: number; readonly idleCalls: number }[];
  readonly tokens: number;
}

export function sessionOf({ session, mode, client, set }: SessionView): ContextSession {
  return {
    session: session.id,
    principal: principalKey(session.principal),
    ...(client !== undefined && { client }),
    mode,
    active: set.entries.map(({ name, tokens, usedAt }) => ({ name, tokens, idleCalls: set.clock - usedAt })),
    tokens: tokensIn(set.entries),
  };
}
