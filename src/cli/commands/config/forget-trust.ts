import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { State } from '../../../app/index.js';
import type { ForgottenPolicy } from '../../../workspace/policy/policy-forgotten.js';
import { policyFiles, printable } from '../../../config/index.js';
import { serverRecordName } from '../../../config/started/index.js';
import type { Context } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { locate, type Place } from '../../locate.js';
import { policyPlaceOf, type PolicyOf, realPolicyFile, recordedPolicyAt } from './trust-policy.js';
import { recordedTools } from './trust-tools.js';
import { realFile } from './trust-config.js';

/** Removes trust, and says what that changes. */
export async function forgetTrust(named: string | undefined, context: Context): Promise<ExitCode> {
  const [{ openState }, { recordPolicyChanges }] = await Promise.all([
    import('../../../app/index.js'),
    import('../../../workspace/policy/policy-records.js'),
  ]);
  const { output, env } = context;
  const state = openState(env);
  refuse(state.trust.problem());
  const { files, place } = await filesToForget(named, state, context);
  const policy = filesOfPolicy(files, place);
  const forgotten = await whatChanges(place, policy, state);
  for (const file of files) refuse(state.trust.forget(file));
  const detail = forgotten && { changes: forgotten.changes };
  await recordPolicyChanges(
    policy.map((file) => ({ file, isTrusted: false, ...(detail && { detail }) })),
    { stateDirectory: state.directory, zone: place.access.zone },
  );
  output.json({ files, trusted: false, ...(forgotten && { policy: forgotten }) });
  for (const file of files) output.line(`No longer trusted: ${printable(file)}`);
  for (const line of forgotten === undefined ? [] : changeLines(forgotten)) output.line(line);
  return exitCodes.ok;
}

function refuse(problem: ReturnType<State['trust']['problem']>): void {
  if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
}

/** A configuration, the link to it, and the records of its servers. */
function configFiles({ link, ...located }: Place['located'], state: State): readonly string[] {
  return [...withServers(realFile(located), state), ...(link === undefined ? [] : withServers(link, state))];
}

/** A configuration, and the records of the files that its servers run. */
function withServers(file: string, { trust }: State): readonly string[] {
  const prefix = serverRecordName(file, '');
  return [file, ...trust.list().flatMap((record) => (record.file.startsWith(prefix) ? record.file : []))];
}

interface ToForget {
  readonly files: readonly string[];
  readonly place: PolicyOf;
}

/** The named file, or everything that `tidegate trust` trusts here. */
async function filesToForget(named: string | undefined, state: State, context: Context): Promise<ToForget> {
  const path = named === undefined ? undefined : resolve(context.cwd, named);
  const located = (await nearestPlace(context))?.located;
  const near = located && policyOf(located);
  if (path !== undefined) return namedFile(path, { near, state, context });
  const place = near ?? withoutConfig(context);
  const recorded = [...recordedPolicyAt(place, state), ...recordedTools(place.directory, state)];
  const own = located === undefined ? [] : configFiles(located, state);
  if (own.length + recorded.length > 0) return { files: [...own, ...recorded], place };
  // Throws `config.not_found` with a suggestion.
  await locate(undefined, context);
  return { files: [], place };
}

interface Around {
  readonly near: PolicyOf | undefined;
  readonly state: State;
  readonly context: Context;
}

async function namedFile(path: string, { near, state, context }: Around): Promise<ToForget> {
  const place = policyPlaceOf(path, near) ?? near ?? withoutConfig(context);
  const isRecorded = (file: string): boolean => state.trust.list().some((record) => record.file === file);
  // The file no longer exists, so match the recorded path.
  if (!existsSync(path) && isRecorded(path)) return { files: withServers(path, state), place };
  if (policyPlaceOf(path, near) !== undefined && existsSync(path))
    return { files: [realPolicyFile(path)], place };
  const { located } = await locate(path, context);
  return { files: configFiles(located, state), place: policyOf(located) };
}

/** The configuration for this folder, if there is one. */
export async function nearestPlace(context: Context): Promise<Place | undefined> {
  try {
    return await locate(undefined, context);
  } catch (error) {
    if (error instanceof Failure && error.code === 'config.not_found') return undefined;
    throw error;
  }
}

export function policyOf(located: Place['located']): PolicyOf {
  const configFile = realFile(located);
  const { access, store } = located.config;
  return {
    directory: dirname(configFile),
    access,
    configFile,
    ...(located.isTrusted && { store }),
  };
}

export function withoutConfig({ cwd }: Context): PolicyOf {
  return { directory: cwd, access: { zone: 'local' } };
}

function filesOfPolicy(files: readonly string[], { directory, access }: PolicyOf): readonly string[] {
  const known = new Set(
    policyFiles({ ...access, directory }).flatMap((file) => [file, realPolicyFile(file)]),
  );
  return files.filter((file) => known.has(file));
}

async function whatChanges(
  place: PolicyOf,
  policy: readonly string[],
  state: State,
): Promise<ForgottenPolicy | undefined> {
  if (policy.length === 0) return undefined;
  const { policyForgotten } = await import('../../../workspace/policy/policy-forgotten.js');
  const { store = { kind: 'sqlite' } as const, ...rest } = place;
  return policyForgotten({ ...rest, store, trust: state.trust, stateDirectory: state.directory }, policy);
}

function changeLines({ isKnown, changes, hasHolders }: ForgottenPolicy): readonly string[] {
  if (!isKnown)
    return ['', 'Its trusted content is no longer available. The built-in profiles and model apply now.'];
  if (changes.length === 0) return ['', 'The built-in profiles and model apply now. This changes no rights.'];
  const lines = changes.map(
    ({ who, before, after }) => `  ${printable(who)}: ${printable(after)} (before: ${printable(before)})`,
  );
  const unknown = 'Could not look up which profiles are assigned. See `tidegate profile inspect`.';
  return ['', 'The built-in profiles and model apply now:', ...lines, ...(hasHolders ? [] : [unknown])];
}
