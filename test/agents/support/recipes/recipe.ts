import type { ScriptedCall, ScriptedModel } from 'tidegate/testing';
import type { AgentName } from '../agent-binary.js';
import type { AgentPlace } from '../agent-place.js';

/** How to start an agent: raw flags, as a person would type them. */
export interface Start {
  readonly command: readonly [command: string, ...args: string[]];
  readonly env: Readonly<Record<string, string>>;
}

export interface RecipeParts {
  readonly place: AgentPlace;
  readonly model: Pick<ScriptedModel, 'url' | 'origin'>;
  /** Whether the server is the only source of tools. If not, the agent may use its own without being asked. */
  readonly isIsolated: boolean;
}

export interface Recipe {
  readonly name: string;
  readonly agent: AgentName;
  readonly format: string;
  readonly start: (parts: RecipeParts) => Start;
  /** A call of a native tool that makes a file of this name in the workspace. */
  readonly touch: (file: string) => ScriptedCall;
  /** What the model is shown besides the server's tools when isolated. */
  readonly leftovers: readonly string[];
}

/** What agents are told is their key: the scripted model asks for none. */
export const key = 'not-a-key';
