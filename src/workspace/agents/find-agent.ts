import { type AgentCli } from '../../agents/index.js';
import { findProgram } from '../../lib/find-program.js';
import type { Environment } from '../../config/index.js';
import { createProjectSense, type SensePlace } from '../project-sense.js';

export interface FoundAgent {
  /** Undefined if no program may be started. */
  readonly program?: string;
  /** The agent's environment: the user's, without project folders on PATH. */
  readonly env: Environment;
  /** A program of that name inside the project, if there is no other. */
  readonly planted?: string;
}

/** Finds an agent CLI. A program that is part of the project is never started. */
export function findAgent({ program: name }: Pick<AgentCli, 'program'>, place: SensePlace): FoundAgent {
  const sense = createProjectSense(place);
  const env = sense.environment();
  const program = findProgram(name, env, place.cwd, (file) => !sense.isOfProject(file));
  if (program !== undefined) return { program, env };
  const planted = findProgram(name, place.env, place.cwd);
  return { env, ...(planted !== undefined && { planted }) };
}
