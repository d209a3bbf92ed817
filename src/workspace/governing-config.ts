import { homedir } from 'node:os';
import { dirname } from 'node:path';
import {
  type Config,
  configPaths,
  createProblem,
  defaultConfig,
  hasErrors,
  isConfigFile,
  loadConfig,
  openSecrets,
  operatorPaths,
  ownName,
  type Problem,
  stateDirectory,
  type Trust,
} from '../config/index.js';
import { inertConfig } from './inert-config.js';
import { type Located, locateConfig, type Place } from './locate-config.js';

/** The configuration in force. `config` is safe to use; servers start only if `isTrusted`. */
export interface Governing extends Located {
  /** The file changed or was deleted; its last trusted content applies. */
  readonly isKept?: true;
}

interface Candidate {
  readonly path: string;
  /** The folder the file applies to, if it is not the file's own folder. */
  readonly folder?: string;
}

/**
 * The nearest trusted configuration. An untrusted file changes nothing. If a trusted file changed or was deleted, its last
 * trusted content still applies: otherwise anyone who can write or delete it could widen access.
 */
export async function governingConfig(place: Place, trust: Trust): Promise<Governing> {
  const recorded = new Set(trust.list().map(({ file }) => file));
  const passed: Problem[] = [];
  let nearest: Located | undefined;
  for (const candidate of candidatesOf(place)) {
    const { path, folder } = candidate;
    const isThere = isConfigFile(path) || (path === place.configFile && !recorded.has(ownName(path)));
    if (!isThere && !recorded.has(ownName(path))) continue;
    if (!isThere) return withNotes(await keptConfig(candidate, place, trust), passed);
    const located = await locateConfig(
      { ...place, configFile: path, ...(folder !== undefined && { folder }) },
      trust,
    );
    if (located.isTrusted || hasErrors(located.problems)) return withNotes(located, passed);
    if (recorded.has(ownName(path)))
      return withNotes(await keptConfig(candidate, place, trust, located), passed);
    nearest ??= located;
    passed.push(passedOver(located.file ?? path));
  }
  if (nearest !== undefined) return { ...nearest, config: inertConfig(nearest.config, place.cwd) };
  return { config: defaultConfig(place.cwd), problems: [], folder: place.cwd, isTrusted: true };
}

/** Trusted configuration files that were deleted and are nearer than the existing one. */
export function goneConfigs(place: Place, trust: Trust): readonly string[] {
  const recorded = new Set(trust.list().map(({ file }) => file));
  const paths = candidatesOf(place).map(({ path }) => path);
  const there = paths.findIndex(isConfigFile);
  const nearer = there === -1 ? paths : paths.slice(0, there);
  return nearer.map(ownName).filter((own) => recorded.has(own));
}

function candidatesOf({ cwd, env, configFile, folder }: Place): readonly Candidate[] {
  if (configFile !== undefined) return [{ path: configFile, ...(folder !== undefined && { folder }) }];
  return [
    ...configPaths(cwd).map((path) => ({ path })),
    // The operator's file applies to every workspace.
    ...operatorPaths(env).map((path) => ({ path, folder: cwd })),
  ];
}

async function keptConfig(
  { path, folder }: Candidate,
  place: Place,
  trust: Trust,
  changed?: Located,
): Promise<Governing> {
  const file = ownName(path);
  const text = trust.content(file);
  const { config, problems, sha256 } = await loadConfig({
    file,
    text: text ?? '',
    isReal: true,
    env: place.env,
    secrets: openSecrets(stateDirectory(place.env)),
    home: homedir(),
    ...(folder !== undefined && { workspace: folder }),
  });
  return {
    config: boundsOf(config, changed?.config ?? config, place.cwd),
    problems: [changedProblem(file, changed !== undefined, text !== undefined), ...problems],
    file,
    folder: folder ?? dirname(file),
    isTrusted: false,
    isKept: true,
    ...(sha256 !== undefined && { sha256 }),
  };
}

/** Keeps only settings that limit callers. Anything that writes, sends or starts something needs trust. */
function boundsOf(
  { file, builtins, workspace, shell, store, access }: Config,
  { servers }: Config,
  cwd: string,
): Config {
  const bounds = { servers, builtins, workspace, shell, store, access };
  return { ...defaultConfig(cwd), ...bounds, ...(file !== undefined && { file }) };
}

function withNotes(located: Governing, notes: readonly Problem[]): Governing {
  return { ...located, problems: [...notes, ...located.problems] };
}

function passedOver(file: string): Problem {
  const message = 'This file is not trusted and is ignored. The next trusted file is used instead.';
  return createProblem(file, '', { code: 'config.passed_over', severity: 'warning', message });
}

function changedProblem(file: string, isThere: boolean, isKnown: boolean): Problem {
  const what = isThere ? 'The file has changed since it was trusted' : 'The trusted file was deleted';
  const severity = isKnown ? 'warning' : 'error';
  const effect = isKnown
    ? 'the access rules and limits of its last trusted content still apply, and its servers do not start'
    : 'its last trusted content is unknown';
  return createProblem(file, '', { code: 'config.changed', severity, message: `${what}: ${effect}.` });
}
