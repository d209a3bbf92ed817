import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import type { PolicyToTrust, State } from '../../../app/index.js';
import { type Config, hasErrors, policyFiles, printable, recordedPolicy } from '../../../config/index.js';
import type { Context } from '../../command.js';
import { Failure } from '../../failure.js';
import { problemLines } from '../../locate.js';

/** Where to look for policy files. */
export interface PolicyOf {
  readonly directory: string;
  readonly access: Omit<Config['access'], 'auditKeep'>;
  /** The file that `access` comes from. */
  readonly configFile?: string;
  /** Its grant store, if the file is trusted. */
  readonly store?: Config['store'];
}

const policyNames = ['profiles.yaml', 'tool_profiles.yaml', 'model.fga'];

/** The profiles and model of a folder. Fails if they have errors. */
export async function policyAt(place: PolicyOf, state: State, only?: string): Promise<PolicyToTrust> {
  const { policyToTrust } = await import('../../../app/index.js');
  const policy = await policyToTrust({ ...place, trust: state.trust });
  if (hasErrors(policy.problems)) {
    const message = 'Nothing was trusted: the profiles or the model have errors.';
    throw new Failure('config.invalid', message, undefined, problemLines(policy.problems));
  }
  if (only === undefined) return policy;
  return { ...policy, files: policy.files.filter(({ file }) => file === only), gone: [] };
}

/** The folder that a profiles or model file belongs to; undefined for any other file. */
export function policyPlaceOf(path: string, near: PolicyOf | undefined): PolicyOf | undefined {
  if (near !== undefined && policyFiles({ ...near.access, directory: near.directory }).includes(path))
    return near;
  if (!policyNames.includes(basename(path))) return undefined;
  const folder = dirname(path);
  const directory = basename(folder) === '.tidegate' ? dirname(folder) : folder;
  return { directory, access: { zone: 'local' } };
}

export function realPolicyFile(path: string): string {
  return existsSync(path) ? realpathSync.native(path) : path;
}

/** The trusted policy files of a folder, whatever their current content. */
export function recordedPolicyAt({ directory, access }: PolicyOf, state: State): readonly string[] {
  return recordedPolicy({ ...access, directory }, state.trust);
}

/** For the user to review before deciding. */
export function policyLines({ files, gone, profiles }: PolicyToTrust, { cwd }: Context): readonly string[] {
  if (files.length + gone.length === 0) return [];
  const short = (file: string): string => printable(relative(cwd, file) || file);
  const shown = files.flatMap(({ kind, file, sha256 }) => [
    `  ${short(file)}`,
    `    SHA-256  ${sha256}`,
    ...(kind === 'profiles'
      ? profileLines(profiles)
      : ['    extends the authorization model: review it first']),
  ]);
  return [
    'Decides who may see and call what:',
    ...shown,
    ...gone.map((file) => `  ${short(file)} no longer exists, so its trust is removed`),
    '',
  ];
}

function profileLines({
  profiles,
  principals,
  defaultProfile,
}: PolicyToTrust['profiles']): readonly string[] {
  const own = [...profiles.values()].filter(({ isShipped }) => !isShipped);
  return [
    `    default  ${defaultProfile ?? 'none'}`,
    ...own.map(({ name, parents, entries }) => {
      const base = parents.length === 0 ? '' : ` = ${parents.map(printable).join(' + ')}`;
      const added = entries.filter(({ from }) => from === name);
      const see = added.filter(({ effect }) => effect === 'see');
      const rest = added.filter(({ effect }) => effect !== 'see');
      return `    profile  ${printable(name)}${base}${texts(' +', rest)}${texts(' sees', see)}`;
    }),
    ...principals.map(({ principal: { kind, id }, profile, add, remove }) => {
      const base = profile === undefined ? '' : ` = ${printable(profile)}`;
      return `    ${kind}:${id}${base}${texts(' +', add)}${texts(' -', remove)}`;
    }),
  ];
}

function texts(word: string, entries: readonly { readonly text: string }[]): string {
  return entries.length === 0 ? '' : `${word} ${entries.map(({ text }) => printable(text)).join(', ')}`;
}
