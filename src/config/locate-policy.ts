import { basename, dirname, join, relative } from 'node:path';
import { type FoundPolicy, findPolicy, type PolicyPlace, policyFiles } from './find-policy.js';
import { type LoadedProfiles, loadProfiles } from './load-profiles.js';
import { createProblem, type Problem } from './problem.js';
import { readSource, realPath } from './source-file.js';
import type { Trust } from './trust.js';

export interface LocatedProfiles extends LoadedProfiles {
  readonly isTrusted: boolean;
}

/** The text that extends the model. What it means is for `access` to say, once it is trusted. */
export interface LocatedModel {
  readonly file: string;
  readonly sha256?: string;
  readonly text: string;
  readonly isTrusted: boolean;
}

/** Absent: there is no such file, and what is shipped applies. */
export interface LocatedPolicy {
  readonly profiles?: LocatedProfiles;
  readonly model?: LocatedModel;
  /** With an error among them no rights can be told: whoever would start must not. */
  readonly problems: readonly Problem[];
}

/**
 * Finds and reads the files of policy of a place. One that nobody ever trusted is a warning, and does not apply. One that
 * was trusted and has changed since, or is gone, is an error: what is shipped may allow what it forbade.
 */
export async function locatePolicy(place: PolicyPlace, trust: Trust): Promise<LocatedPolicy> {
  const found = findPolicy(place);
  const profiles = found.profiles === undefined ? undefined : await readProfiles(found.profiles, trust);
  const model = found.model === undefined ? undefined : readModel(found.model, trust);
  return {
    ...(profiles && { profiles: profiles.located }),
    ...(model && { model: model.located }),
    problems: [
      ...(found.problem === undefined ? [] : [found.problem]),
      ...(profiles?.problems ?? []),
      ...(model?.problems ?? []),
      ...goneProblems(place, found, trust),
    ],
  };
}

interface Read<T> {
  readonly located: T;
  readonly problems: readonly Problem[];
}

async function readProfiles(path: string, trust: Trust): Promise<Read<LocatedProfiles>> {
  const loaded = await loadProfiles(path);
  const standing = standingOf([loaded.file, path, realName(path)], loaded.sha256, trust);
  return {
    located: { ...loaded, isTrusted: standing === undefined },
    problems: [...loaded.problems, ...(standing ?? [])],
  };
}

function readModel(path: string, trust: Trust): Read<LocatedModel> {
  const { file, text, sha256, finding } = readSource(path);
  const flaws = finding === undefined ? [] : [createProblem(file, text, finding)];
  const standing = standingOf([file, path, realName(path)], sha256, trust);
  const isTrusted = standing === undefined;
  return {
    located: { file, text, isTrusted, ...(sha256 !== undefined && { sha256 }) },
    problems: [...flaws, ...(standing ?? [])],
  };
}

/**
 * Undefined: this very content is trusted. The file's real path first, then the names that lead there: where one of them
 * was trusted, a link has taken its place, and that is a change like any other.
 */
function standingOf(
  [file = '', ...names]: readonly string[],
  sha256: string | undefined,
  trust: Trust,
): readonly Problem[] | undefined {
  if (trust.isTrusted(file, sha256)) return undefined;
  const doubt = trust.problem();
  if (doubt !== undefined) return [doubt];
  if ([file, ...names].some((name) => isRecorded(name, trust)))
    return [changed(file, 'The file has changed since it was trusted.')];
  const message = 'Nobody trusted this file: what is shipped applies in its place.';
  return [createProblem(file, '', { code: 'profiles.untrusted', severity: 'warning', message })];
}

/** The files of policy of a place that are trusted, whatever they hold by now. */
export function recordedPolicy(place: PolicyPlace, trust: Trust): readonly string[] {
  const known = new Set(policyFiles(place).flatMap((file) => [file, realPath(file)]));
  return trust.list().flatMap(({ file }) => (known.has(file) ? [file] : []));
}

function goneProblems(place: PolicyPlace, found: FoundPolicy, trust: Trust): readonly Problem[] {
  return policyFiles(place)
    .filter((file) => file !== found.profiles && file !== found.model && isRecorded(file, trust))
    .map((file) => changed(file, 'The file was trusted, and is gone.'));
}

/** The name in the real folder of its workspace: links above it lead where they did when it was trusted. */
function realName(path: string): string {
  const folder = basename(dirname(path)) === '.tidegate' ? dirname(dirname(path)) : dirname(path);
  return join(realPath(folder), relative(folder, path));
}

function isRecorded(file: string, trust: Trust): boolean {
  return trust.list().some((record) => record.file === file);
}

function changed(file: string, message: string): Problem {
  return createProblem(file, '', { code: 'profiles.changed', message });
}
