import type { ScriptedCall, ScriptedModel } from 'tidegate/testing';
import type { AgentName } from '../agent-binary.js';
import type { AgentPlace } from '../agent-place.js';

/** How to start an agent: raw flags, as a user would type them. */
export interface Start {
  readonly command: readonly [command: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
}

export interface RecipeParts {
  readonly place: AgentPlace;
  readonly model: Pick<ScriptedModel, 'url' | 'origin'>;
  /** Whether the server is the only source of tools. If not, the agent may use its own without approval. */
  readonly isIsolated: boolean;
}

export interface Recipe {
  readonly name: string;
  readonly agent: AgentName;
  readonly format: string;
  readonly start: (parts: RecipeParts) => Start;
  /** A native tool call that creates a file of this name in the workspace. */
  readonly touch: (file: string) => ScriptedCall;
  /** Tools that the model sees besides those of the server, if isolated. */
  readonly leftovers: readonly string[];
}

/** A fake API key for agents; the scripted model does not check it. */
export const key = 'not-a-key';
