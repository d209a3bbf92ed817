import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createProblem, type Problem } from './problem.js';
import { type ConfigWatch, watchConfig, type WatchTimes } from './watch.js';

/** Where policy stands: beside the configuration, or where the configuration says. */
export interface PolicyPlace {
  /** Of `tidegate.yaml`; where there is none, of the workspace. */
  readonly directory: string;
  /** What `access` in `tidegate.yaml` names; it must be there. */
  readonly profiles?: string;
  readonly model?: string;
}

export interface FoundPolicy {
  readonly profiles?: string;
  readonly model?: string;
  readonly problem?: Problem;
}

const profileNames = [
  join('.tidegate', 'profiles.yaml'),
  join('.tidegate', 'tool_profiles.yaml'),
  'tool_profiles.yaml',
];
const modelName = join('.tidegate', 'model.fga');

/** The file of profiles and the extension of the model that belong to a place, as far as there are any. */
export function findPolicy(place: PolicyPlace): FoundPolicy {
  const found = profileFiles(place).filter((file) => file === place.profiles || isThere(file));
  const [model] = modelFiles(place).filter((file) => file === place.model || isThere(file));
  const [profiles, second] = found;
  return {
    ...(profiles !== undefined && { profiles }),
    ...(model !== undefined && { model }),
    ...(profiles !== undefined && second !== undefined && { problem: ambiguous(place, profiles, second) }),
  };
}

/** Calls `onChange` after each change of what `findPolicy` may find, also when a file comes or goes. */
export function watchProfiles(place: PolicyPlace, onChange: () => void, times: WatchTimes = {}): ConfigWatch {
  const watches = policyFiles(place).map((file) => watchConfig(file, onChange, times));
  return {
    close() {
      for (const watch of watches) watch.close();
    },
  };
}

/** Every file that `findPolicy` looks for. */
export function policyFiles(place: PolicyPlace): readonly string[] {
  return [...profileFiles(place), ...modelFiles(place)];
}

function profileFiles({ directory, profiles }: PolicyPlace): readonly string[] {
  return profiles === undefined ? profileNames.map((name) => join(directory, name)) : [profiles];
}

function modelFiles({ directory, model }: PolicyPlace): readonly string[] {
  return [model ?? join(directory, modelName)];
}

// Whatever has the name is there, be it a link to nowhere: reading it says what is wrong. To take it for absent would
// let other profiles apply than those that somebody wrote.
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOTDIR');
  }
}

function ambiguous({ directory }: PolicyPlace, first: string, second: string): Problem {
  const names = [first, second].map((file) => relative(directory, file)).join(' and ');
  const message = `Both ${names} are there, and only one can apply.`;
  return createProblem(second, '', { code: 'profiles.ambiguous', message });
}
