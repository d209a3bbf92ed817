import { lstatSync } from 'node:fs';
import { join, relative } from 'node:path';
import { codeOf } from '../lib/error-code.js';
import { createProblem, type Problem } from './problem.js';
import { type ConfigWatch, watchConfig, type WatchTimes } from './watch.js';

/** Where policy files are: next to the configuration, or where it says. */
export interface PolicyPlace {
  /** The directory of `tidegate.yaml`, or the workspace if there is none. */
  readonly directory: string;
  /** The file named under `access` in `tidegate.yaml`. It must exist. */
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

/** Finds the profiles file and the model extension of a place, if they exist. */
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

/** Calls `onChange` whenever a file that `findPolicy` looks for is created, changed or deleted. */
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

// A dangling link counts as present, so that reading it reports an error. Otherwise other profiles than intended would
// apply silently.
function isThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return codeOf(error) !== 'ENOTDIR';
  }
}

function ambiguous({ directory }: PolicyPlace, first: string, second: string): Problem {
  const names = [first, second].map((file) => relative(directory, file)).join(' and ');
  const message = `${names} both exist, but only one can apply.`;
  return createProblem(second, '', { code: 'profiles.ambiguous', message });
}
