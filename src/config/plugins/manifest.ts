import { type PluginCapability, pluginCapabilities } from '../../ports/plugins.js';
import { parseSource, problemsOf } from '../parse-source.js';
import { createProblem, type Finding, type Problem } from '../problem.js';
import { readNeeded } from '../read-tree.js';
import { readSource } from '../source-file.js';
import { offsetAt, type TreeNode } from '../../lib/tree.js';
import { awfLevel, fits, isVersion } from './constraint.js';
import { type ManifestValues, manifestTable } from './manifest-schema.js';

export interface PluginSetting {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly isRequired: boolean;
  readonly default?: string;
  readonly choices?: readonly string[];
}

/** The contents of `plugin.yaml`, which is covered by trust. */
export interface PluginManifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly capabilities: readonly PluginCapability[];
  readonly settings: ReadonlyMap<string, PluginSetting>;
  readonly events: { readonly subscribe: readonly string[]; readonly emit: readonly string[] };
}

export interface LoadedManifest {
  readonly file: string;
  /** Use it only if no problem is an error. */
  readonly manifest: PluginManifest;
  readonly problems: readonly Problem[];
}

const anyName = /^[a-zA-Z][a-zA-Z0-9_-]*$/;
const strictName = /^[a-z][a-z0-9-]*$/;
const longestName = 64;

/** Reads a manifest and reports all of its problems at once. It cannot refer to the environment. */
export async function loadManifest(path: string, version: string): Promise<LoadedManifest> {
  const source = readSource(path);
  const { root, findings } = await parseSource(source);
  const found: Finding[] = [...findings];
  // An invalid manifest, or one without a required key, is not read at all.
  const values = readNeeded(manifestTable, root, {
    text: source.text,
    environment: {},
    report: (finding) => void found.push(finding),
    isLiteral: true,
  });
  if (values !== undefined && findings.length === 0) found.push(...flawsOf(values, version, root));
  return {
    file: source.file,
    manifest: values === undefined ? nothingSaid : manifestOf(values),
    problems: problemsOf(source, found),
  };
}

const nothingSaid: PluginManifest = {
  name: '',
  version: '',
  capabilities: [],
  settings: new Map(),
  events: { subscribe: [], emit: [] },
};

/** A plugin problem without a position in a file. */
export function pluginProblem(file: string, message: string): Problem {
  return createProblem(file, '', { code: 'plugins.unusable', message });
}

function flawsOf(values: ManifestValues, version: string, root: TreeNode): readonly Finding[] {
  const at = (key: string, message: string, isWarning = false): Finding => ({
    code: 'plugins.bad_manifest',
    ...(isWarning && { severity: 'warning' }),
    path: [key],
    offset: offsetAt(root, [key]),
    message,
  });
  const { name, capabilities } = values;
  const found: Finding[] = [];
  if (!anyName.test(name) || name.length > longestName)
    found.push(
      at(
        'name',
        'The name must start with a letter, followed by letters, digits, `_` or `-`, up to 64 in total.',
      ),
    );
  else if (!strictName.test(name))
    found.push(at('name', 'Other hosts accept only lowercase letters, digits and `-` in a name.', true));
  if (!isVersion(values.version)) found.push(at('version', 'The version must have the form 1.2.3.'));
  if (capabilities.length === 0)
    found.push(at('capabilities', 'The plugin must declare at least one capability.'));
  for (const one of capabilities)
    if (!isCapability(one)) found.push(at('capabilities', `"${one}" is not a known capability.`));
  return [...found, ...constraintFlaws(values, version, at), ...settingFlaws(values, at)];
}

type At = (key: string, message: string, isWarning?: boolean) => Finding;

/** One of the two keys is required. `tidegate_version` wins if both are present. */
function constraintFlaws(values: ManifestValues, version: string, at: At): readonly Finding[] {
  const { awf_version: awf, tidegate_version: own } = values;
  if (awf === undefined && own === undefined)
    return [at('awf_version', 'A version constraint is required, such as `awf_version: ">=0.4.0"`.')];
  const [key, wanted, present] =
    own === undefined ? ['awf_version', awf ?? '', awfLevel] : ['tidegate_version', own, version];
  const answer = fits(present, wanted);
  if (answer === undefined)
    return [at(key, `"${wanted}" is not a valid version constraint such as ">=0.4.0".`)];
  return answer ? [] : [at(key, `The plugin requires version ${wanted}, but this is version ${present}.`)];
}

function settingFlaws({ config }: ManifestValues, at: At): readonly Finding[] {
  return [...config].flatMap(([name, { type, default: value, enum: choices }]) => {
    if (choices !== undefined && type !== 'string')
      return [at('config', `The setting ${name} has an enum, so its type must be string.`)];
    if (value !== undefined && settingValue(type, value) === undefined)
      return [at('config', `The default of the setting ${name} must have the type ${type}.`)];
    return [];
  });
}

/** Converts a setting to its type. Returns undefined if the text is not valid for the type. */
export function settingValue(
  type: PluginSetting['type'],
  text: string,
): string | number | boolean | undefined {
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

function isCapability(text: string): text is PluginCapability {
  return (pluginCapabilities as readonly string[]).includes(text);
}

function manifestOf(values: ManifestValues): PluginManifest {
  const { name, version, description, capabilities, config, events } = values;
  return {
    name,
    version,
    ...(description !== undefined && { description }),
    capabilities: capabilities.filter(isCapability),
    settings: new Map(
      [...config].map(([key, { type, required, default: value, enum: choices }]) => [
        key,
        {
          type,
          isRequired: required,
          ...(value !== undefined && { default: value }),
          ...(choices && { choices }),
        },
      ]),
    ),
    events,
  };
}
