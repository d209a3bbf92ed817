import { basename, dirname, join, relative } from 'node:path';
import { type FoundPolicy, findPolicy, type PolicyPlace, policyFiles } from './find-policy.js';
import { type LoadedProfiles, loadProfiles } from './load-profiles.js';
import { createProblem, type Problem } from './problem.js';
import { readSource, realPath } from './source-file.js';
import type { Trust } from './trust.js';

export interface LocatedProfiles extends LoadedProfiles {
  readonly isTrusted: boolean;
}

/** The text that extends the model. `access` interprets it once it is trusted. */
export interface LocatedModel {
  readonly file: string;
  readonly sha256?: string;
  readonly text: string;
  readonly isTrusted: boolean;
}

/** A missing part means that there is no such file and the built-in one applies. */
export interface LocatedPolicy {
  readonly profiles?: LocatedProfiles;
  readonly model?: LocatedModel;
  /** If any of them is an error, permissions are unknown and nothing may start. */
  readonly problems: readonly Problem[];
}

/**
 * Finds and reads the policy files of a place. A file that was never trusted does not apply and causes a warning. A trusted
 * file that was changed or deleted is an error, because the built-in policy may allow what the file forbade.
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
 * Returns undefined if exactly this content is trusted. Checks the real path first, then the names that lead to it: if one
 * of those was trusted, it has been replaced by a link, which counts as a change.
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
  const message = 'This file is not trusted, so the built-in policy applies instead.';
  return [createProblem(file, '', { code: 'profiles.untrusted', severity: 'warning', message })];
}

/** The policy files of a place that were trusted, even if they have changed since. */
export function recordedPolicy(place: PolicyPlace, trust: Trust): readonly string[] {
  const known = new Set(policyFiles(place).flatMap((file) => [file, realPath(file)]));
  return trust.list().flatMap(({ file }) => (known.has(file) ? [file] : []));
}

function goneProblems(place: PolicyPlace, found: FoundPolicy, trust: Trust): readonly Problem[] {
  return policyFiles(place)
    .filter((file) => file !== found.profiles && file !== found.model && isRecorded(file, trust))
    .map((file) => changed(file, 'The file was deleted after it was trusted.'));
}

/** Resolves links only in the workspace folder, as they were resolved when the file was trusted. */
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
