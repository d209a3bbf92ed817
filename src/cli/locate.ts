import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Located, State } from '../app/index.js';
import { describeProblem, printable, type Problem } from '../config/index.js';
import type { Context } from './command.js';
import { Failure } from './failure.js';
import { placeNotes } from './place-notes.js';

export interface Place {
  readonly located: Located & { readonly file: string };
  readonly state: State;
  /** Why trust records cannot be read, so that nothing is trusted. */
  readonly trustProblem: Problem | undefined;
}

const noFile = 'No tidegate.yaml in this folder or its parent folders, so there are no servers';
/** For commands with `--config`. */
export const noFileNamed = `${noFile}. Create one with \`tidegate init\`, or pass --config.`;

/** Finds and reads the configuration file for this folder. Fails if there is none. */
export async function locate(named: string | undefined, context: Context): Promise<Place> {
  const { locateConfig, openState } = await import('../app/index.js');
  const { cwd, env } = context;
  const configFile = configFileOf(named, context);
  const state = openState(env);
  const located = await locateConfig(
    { cwd, env, ...(configFile !== undefined && { configFile }) },
    state.trust,
  );
  const { file } = located;
  if (file === undefined) {
    for (const line of placeNotes(cwd)) context.output.note(line);
    throw new Failure('config.not_found', `${noFile}.`, 'tidegate init');
  }
  return { located: { ...located, file }, state, trustProblem: state.problem ?? state.trust.problem() };
}

/** The named file as an absolute path; it must exist. Undefined if none was named. */
export function configFileOf(named: string | undefined, { cwd }: Context): string | undefined {
  if (named === undefined) return undefined;
  const file = resolve(cwd, named);
  if (isAbsent(file)) {
    throw new Failure('file.not_found', `No such file: ${printable(file)}`, 'tidegate config path');
  }
  return file;
}

/** True only if the file certainly does not exist. Other problems, such as a link to itself, are reported when reading. */
function isAbsent(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

export function problemLines(problems: readonly Problem[]): string[] {
  return problems.map(describeProblem);
}
