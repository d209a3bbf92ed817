import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { State } from '../app/index.js';
import type { ForgottenPolicy } from '../app/policy-forgotten.js';
import { policyFiles, printable } from '../config/index.js';
import type { Context } from './command.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { Failure } from './failure.js';
import { locate, type Place } from './locate.js';
import { policyPlaceOf, type PolicyOf, realPolicyFile, recordedPolicyAt } from './trust-policy.js';
import { recordedTools } from './trust-tools.js';
import { realFile } from './what-starts.js';

/** Takes the trust back, and says what that changes. */
export async function forgetTrust(named: string | undefined, context: Context): Promise<ExitCode> {
  const [{ openState }, { recordPolicyChanges }] = await Promise.all([
    import('../app/index.js'),
    import('../app/policy-records.js'),
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

interface ToForget {
  readonly files: readonly string[];
  readonly place: PolicyOf;
}

/** The file that was named; otherwise all that `tidegate trust` trusts here. */
async function filesToForget(named: string | undefined, state: State, context: Context): Promise<ToForget> {
  const path = named === undefined ? undefined : resolve(context.cwd, named);
  const near = await nearestPolicy(context);
  if (path !== undefined) return namedFile(path, { near, state, context });
  const place = near ?? withoutConfig(context);
  const recorded = [...recordedPolicyAt(place, state), ...recordedTools(place.directory, state)];
  const own = near?.configFile === undefined ? [] : [near.configFile];
  if (own.length + recorded.length > 0) return { files: [...own, ...recorded], place };
  // Says that there is no file here, and what to write.
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
  // The path of a named file that cannot be read any more, by its words alone.
  if (!existsSync(path) && isRecorded(path)) return { files: [path], place };
  if (policyPlaceOf(path, near) !== undefined && existsSync(path))
    return { files: [realPolicyFile(path)], place };
  const { located } = await locate(path, context);
  return { files: [realFile(located)], place: policyOf(located) };
}

async function nearestPolicy(context: Context): Promise<PolicyOf | undefined> {
  const near = await nearestPlace(context);
  return near && policyOf(near.located);
}

/** The configuration of this place, where there is one. */
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
  const { policyForgotten } = await import('../app/policy-forgotten.js');
  const { store = { kind: 'sqlite' } as const, ...rest } = place;
  return policyForgotten({ ...rest, store, trust: state.trust, stateDirectory: state.directory }, policy);
}

function changeLines({ isKnown, changes, hasHolders }: ForgottenPolicy): readonly string[] {
  if (!isKnown)
    return ['', 'What it said when it was trusted is not known any more. What is shipped applies now.'];
  if (changes.length === 0) return ['', 'What is shipped applies now. Nobody has more or less by that.'];
  const lines = changes.map(
    ({ who, before, after }) => `  ${printable(who)}: ${printable(after)}, in place of ${printable(before)}`,
  );
  const unknown = 'Who has which profile could not be looked up: see tidegate profile inspect.';
  return ['', 'What is shipped applies now:', ...lines, ...(hasHolders ? [] : [unknown])];
}
