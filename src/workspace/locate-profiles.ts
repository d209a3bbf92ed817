import type { CompiledModel } from '../access/engine/index.js';
import { shippedModel } from '../access/model.generated.js';
import {
  type KnownTool,
  noProfile,
  type ProfileProblem,
  type Profiles,
  profileWarnings,
  resolveProfiles,
  shippedProfiles,
} from '../access/profiles/index.js';
import {
  type Config,
  createProblem,
  type LocatedModel,
  type LocatedPolicy,
  locatePolicy,
  nearest,
  type Problem,
  problemInFile,
  type Trust,
} from '../config/index.js';
import { builtinTools } from './builtin-tools.generated.js';

export interface ProfilesPlace {
  /** The folder of `tidegate.yaml`, or the workspace if there is none. */
  readonly directory: string;
  readonly access: Omit<Config['access'], 'auditKeep'>;
  readonly trust: Trust;
  /** The file that contains `access`. */
  readonly configFile?: string;
}

export interface PolicyFile {
  readonly kind: 'profiles' | 'model';
  readonly file: string;
  readonly sha256?: string;
  readonly isTrusted: boolean;
}

/** The profiles and the model in force. Use them only if no problem is an error. */
export interface LocatedProfiles {
  readonly profiles: Profiles;
  readonly model: CompiledModel;
  readonly files: readonly PolicyFile[];
  readonly problems: readonly Problem[];
  /** Changes with content and trust. */
  readonly stamp: string;
  /** Entries of the file that match none of these tools. */
  warnings(tools: readonly KnownTool[]): readonly Problem[];
}

/** Finds and reads profiles and model. The built-in ones replace untrusted files. */
export async function locateProfiles(place: ProfilesPlace): Promise<LocatedProfiles> {
  const { directory, access, trust } = place;
  const { profiles: file, model: modelFile } = access;
  const policy = await locatePolicy(
    {
      directory,
      ...(file !== undefined && { profiles: file }),
      ...(modelFile !== undefined && { model: modelFile }),
    },
    trust,
  );
  const profiles = resolve(place, policy);
  const { model, problems } = await modelOf(policy.model);
  const files = filesOf(policy);
  return {
    profiles,
    model,
    files,
    problems: [
      ...policy.problems,
      ...(await Promise.all(placed(profiles.problems, place, policy).map((one) => inConfig(one, place)))),
      ...problems,
    ],
    stamp: JSON.stringify([files, access.defaultProfile]),
    warnings: (tools) => placed(profileWarnings(profiles, tools, nearest), place, policy),
  };
}

function resolve({ access }: ProfilesPlace, { profiles: file }: LocatedPolicy): Profiles {
  const isUsed = file?.isTrusted === true;
  const written = access.defaultProfile ?? (isUsed ? file.defaultProfile : undefined);
  // The profile exists only in an untrusted file; falling back to another one could give more access than intended.
  const isUnknown = file !== undefined && !isUsed && !shippedProfiles.some(({ name }) => name === written);
  const defaultProfile = isUnknown && written !== undefined ? noProfile : written;
  return resolveProfiles(isUsed ? file.profiles : [], {
    isBuiltin,
    nearest,
    ...(isUsed && { principals: file.principals, lineAt: (path) => file.lineAt(path) }),
    ...(defaultProfile !== undefined && { defaultProfile }),
  });
}

function isBuiltin(name: string): boolean {
  return builtinTools.some(({ card }) => card.name === name);
}

/** Adds file positions to problems, and drops those already reported while reading the file. */
function placed(
  problems: readonly ProfileProblem[],
  { access, configFile, directory }: ProfilesPlace,
  { profiles: file, problems: said }: LocatedPolicy,
): readonly Problem[] {
  const isNew = ({ path }: Problem): boolean => !said.some((one) => one.path === path && path !== '');
  return problems
    .map((problem) => {
      const isOfConfig = problem.path[0] === 'default_profile' && access.defaultProfile !== undefined;
      if (isOfConfig)
        return createProblem(configFile ?? directory, '', {
          ...problem,
          path: defaultPath,
        });
      return file?.problemAt(problem) ?? createProblem(directory, '', problem);
    })
    .filter(isNew);
}

const defaultPath = ['access', 'default_profile'];

/** Gives problems of `tidegate.yaml` their position in that file. */
async function inConfig(problem: Problem, { configFile }: ProfilesPlace): Promise<Problem> {
  if (problem.path !== defaultPath.join('.') || configFile === undefined) return problem;
  return problemInFile(configFile, { ...problem, path: defaultPath });
}

interface Extended {
  readonly model: CompiledModel;
  readonly problems: readonly Problem[];
}

async function modelOf(located: LocatedModel | undefined): Promise<Extended> {
  if (located?.isTrusted !== true) return { model: shippedModel, problems: [] };
  const { extendModel } = await import('../access/extend-model.js');
  const { ModelRefused } = await import('../access/model-text.js');
  const { file, text } = located;
  try {
    return { model: await extendModel(shippedModel, text), problems: [] };
  } catch (error) {
    if (!(error instanceof ModelRefused)) throw error;
    const problems = error.problems.map(({ code, message, line, column }) => {
      const problem = createProblem(file, text, {
        code: 'access.bad_model',
        message: `${message} (${code}).`,
      });
      return { ...problem, line, column };
    });
    return { model: shippedModel, problems };
  }
}

function filesOf({ profiles, model }: LocatedPolicy): readonly PolicyFile[] {
  const one = (
    kind: PolicyFile['kind'],
    found: LocatedPolicy['model' | 'profiles'],
  ): readonly PolicyFile[] => {
    if (found === undefined) return [];
    const { file, sha256, isTrusted } = found;
    return [{ kind, file, isTrusted, ...(sha256 !== undefined && { sha256 }) }];
  };
  return [...one('profiles', profiles), ...one('model', model)];
}
