import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { hasErrors, printable, type Problem, shellWord } from '../../../config/index.js';
import type { Command, Context } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { nearestPlace, policyOf, withoutConfig } from './forget-trust.js';
import { locate, type Place, problemLines } from '../../locate.js';
import { pluginsIn } from '../plugin/with-plugins.js';
import { policyPlaceOf, type PolicyOf } from './trust-policy.js';
import { openTidegate } from '../../open-tidegate.js';

export const configCheck: Command = {
  name: 'config check',
  summary: 'Check the configuration, profiles, model and plugins for problems, and whether they are trusted.',
  arguments: [
    {
      name: '[file]',
      about:
        'File to check: a configuration, profiles or model file. Default: the nearest tidegate.yaml and the files that belong to it.',
    },
  ],
  examples: [
    'tidegate config check',
    'tidegate config check ./tidegate.yaml --json',
    'tidegate config check .tidegate/profiles.yaml',
  ],
  async run(given, context) {
    const [named] = given.arguments;
    const path = named === undefined ? undefined : resolve(context.cwd, named);
    const near = path === undefined || existsSync(path) ? await nearestPlace(context) : undefined;
    const home = path && existsSync(path) ? policyPlaceOf(path, near && policyOf(near.located)) : undefined;
    if (home !== undefined) return show(undefined, await policyAt(home, context), noPlugins, context);
    if (path === undefined && near === undefined) {
      const policy = await policyAt(withoutConfig(context), context);
      const plugins = await pluginsAt(context.cwd, context);
      if (policy.files.length > 0 || plugins.files.length > 0)
        return show(undefined, policy, plugins, context);
    }
    const place = path === undefined && near !== undefined ? near : await locate(named, context);
    const around = policyOf(place.located);
    const plugins = await pluginsAt(place.located.folder, context);
    return show(place, await policyAt(around, context, around.configFile), plugins, context);
  },
};

type Policy = Awaited<ReturnType<typeof policyAt>>;

async function policyAt(home: PolicyOf, { cwd, env, version }: Context, configFile?: string) {
  const [{ openState }, { checkPolicy }, { knownTools }] = await Promise.all([
    import('../../../app/index.js'),
    import('../../../workspace/policy/check-policy.js'),
    import('../../../features/admin/known-tools.js'),
  ]);
  const known = await knownTools(openTidegate, {
    cwd,
    env,
    version,
    ...(configFile !== undefined && { configFile }),
  });
  return checkPolicy({ ...home, trust: openState(env).trust }, known);
}

/** The files in a workspace that declare plugins, and their problems. */
interface PluginFiles {
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
  readonly untrusted: readonly string[];
}

const noPlugins: PluginFiles = { files: [], problems: [], untrusted: [] };

/** Only plugins declared in this workspace, not those installed for the user. */
async function pluginsAt(folder: string, context: Context): Promise<PluginFiles> {
  const { openState } = await import('../../../app/index.js');
  const { pluginLists } = await import('../../../config/plugins/index.js');
  const files = pluginLists(folder).filter((file) => existsSync(file));
  if (files.length === 0) return noPlugins;
  const { plugins, problems } = await pluginsIn(folder, openState(context.env), context, 'trusted');
  const declared = plugins.filter(({ place }) => files.some((file) => place.startsWith(file)));
  return {
    files,
    problems: [...problems, ...declared.flatMap((plugin) => plugin.problems)],
    untrusted: declared
      .filter(({ standing }) => standing === 'new' || standing === 'changed')
      .map(({ name }) => name),
  };
}

function show(place: Place | undefined, policy: Policy, plugins: PluginFiles, context: Context): ExitCode {
  const { output } = context;
  const config = place?.located;
  const all: readonly Problem[] = [
    ...(config?.problems ?? []),
    ...(place?.trustProblem ? [place.trustProblem] : []),
    ...policy.problems.filter(({ code }) => !code.startsWith('trust.') || place?.trustProblem === undefined),
    ...distinct(plugins.problems),
  ];
  const isValid = !hasErrors([...(config?.problems ?? []), ...policy.problems, ...plugins.problems]);
  output.json({
    ...(config && { file: config.file, sha256: config.sha256 }),
    valid: isValid,
    ...(config && { trusted: config.isTrusted }),
    policy: policy.files.map(({ kind, file, sha256, isTrusted }) => ({
      kind,
      file,
      sha256,
      trusted: isTrusted,
    })),
    plugins: { files: plugins.files, untrusted: plugins.untrusted },
    problems: all,
  });
  for (const line of problemLines(all)) output.say(line);
  for (const { file } of policy.files) verdict(file, hasErrors(ofFile(policy.problems, file)), context);
  for (const file of plugins.files) verdict(file, hasErrors(ofFile(plugins.problems, file)), context);
  if (config !== undefined) showConfig(config, hasErrors(ofFile(all, config.file)), context);
  for (const { file, isTrusted } of policy.files)
    if (!isTrusted)
      output.say(
        `${printable(file)} is not trusted, so the built-in profiles and model apply. Review it, then run: tidegate trust ${shellWord(file)}`,
      );
  if (plugins.untrusted.length > 0) {
    const names = plugins.untrusted.map(printable).join(' ');
    output.say(`Untrusted plugins: ${names}. To review them: tidegate plugin trust ${names}`);
  }
  return isValid ? exitCodes.ok : exitCodes.usage;
}

/** A problem that affects all plugins in a file is reported once for each of them. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

function ofFile(problems: readonly Problem[], wanted: string): readonly Problem[] {
  return problems.filter(({ file }) => file === wanted);
}

function verdict(file: string, isWrong: boolean, { output }: Context): void {
  const word = isWrong ? output.paint('red', 'has errors') : output.paint('green', 'valid');
  output.line(`${printable(file)}: ${word}`);
}

function showConfig({ file, config, isTrusted }: Place['located'], isWrong: boolean, context: Context): void {
  const { output } = context;
  verdict(file, isWrong, context);
  if (isWrong) return;
  const starts = config.servers.filter((server) => server.isEnabled).length;
  output.line(`servers: ${String(starts)} of ${String(config.servers.length)} enabled`);
  if (isTrusted) output.line('trusted: yes');
  else
    output.say(
      `trusted: no, so its servers are not started. Review it, then run: tidegate trust ${shellWord(file)}`,
    );
}
