import { describeProblem, printable, type Problem } from '../../config/index.js';
import type { LocatedPlugin } from '../../config/plugins/index.js';
import type { Command, Context } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { findPlugin, locatedPlugins } from '../plugins.js';

export const pluginTrust: Command = {
  name: 'plugin trust',
  summary: 'Show what a plugin would run, and allow exactly this content to do so.',
  arguments: [
    { name: '[names...]', about: 'The plugins. Default: all of this place that nobody trusted yet.' },
  ],
  options: [
    { name: 'yes', about: 'Do not ask.' },
    { name: 'forget', about: 'Take the trust back.' },
  ],
  examples: [
    'tidegate plugin trust echo',
    'tidegate plugin trust --yes',
    'tidegate plugin trust echo --forget',
  ],
  async run(given, context) {
    const { yes, forget } = given.options;
    if (yes === true && forget === true)
      throw new Failure(
        'usage.exclusive',
        '--yes and --forget exclude each other.',
        'tidegate plugin trust --help',
      );
    const located = await locatedPlugins(context);
    const named = given.arguments.map((name) => findPlugin(located, name));
    if (forget === true) return forgetAll(named.length > 0 ? named : located.plugins, context);
    const chosen = named.length > 0 ? named : located.plugins.filter(isOpen);
    for (const plugin of named) refuseBroken(plugin);
    return trustAll(chosen, context, yes === true);
  },
};

function isOpen({ standing }: LocatedPlugin): boolean {
  return standing === 'new' || standing === 'changed';
}

function refuseBroken({ name, standing, problems }: LocatedPlugin): void {
  if (standing !== 'broken') return;
  const lines = problems.map(describeProblem);
  throw new Failure(
    'plugin.broken',
    `Nothing was trusted: ${printable(name)} cannot be used.`,
    undefined,
    lines,
  );
}

async function trustAll(
  plugins: readonly LocatedPlugin[],
  context: Context,
  isAgreed: boolean,
): Promise<ExitCode> {
  const { output } = context;
  const { openState } = await import('../../app/index.js');
  const { trust } = openState(context.env);
  refuse(trust.problem());
  const fresh = plugins.filter(isOpen);
  const { decidesWhatLoads, coveredFiles } = await import('../../config/plugins/index.js');
  for (const plugin of fresh) {
    for (const line of linesOf(plugin, decidesWhatLoads)) output.line(line);
    for (const file of plugin.files)
      for (const line of await fileLines(file, coveredFiles)) output.line(line);
    output.line();
  }
  if (fresh.length > 0 && !isAgreed) await agree(fresh, context);
  for (const { record } of fresh) if (record !== undefined) refuse(trust.record(record.file, record.sha256));
  output.json({ trusted: plugins.map(({ name, files }) => ({ name, files })) });
  for (const { name, standing } of plugins)
    output.line(`${standing === 'trusted' ? 'Already trusted' : 'Trusted'}: ${printable(name)}`);
  if (plugins.length === 0) output.line('There is nothing to trust.');
  return exitCodes.ok;
}

function linesOf(plugin: LocatedPlugin, isInFull: (variable: string) => boolean): readonly string[] {
  const { name, standing, place, start, env, config, capabilities } = plugin;
  const quoted = (text: string): string => printable(JSON.stringify(text));
  const program =
    start?.kind === 'url'
      ? [`  url      ${quoted(start.url)}`]
      : [
          `  program  ${quoted(start?.command ?? '')}`,
          ...(start?.args ?? []).map((argument) => `  argument ${quoted(argument)}`),
        ];
  return [
    `${printable(name)}${standing === 'changed' ? ' (it has changed since it was trusted)' : ''}`,
    `  in       ${quoted(place)}`,
    ...(start?.kind === 'program' ? [`  runs in  ${quoted(start.cwd)}`] : []),
    ...program,
    `  can      ${capabilities.join(', ') || 'not said'}`,
    ...environmentLines(env, isInFull),
    ...(Object.keys(config).length === 0
      ? []
      : [`  settings ${Object.keys(config).map(printable).join(', ')}`]),
  ];
}

type PluginFile = LocatedPlugin['files'][number];

/** More than a person reads; the digest covers them all the same. */
const mostShown = 200;

/** What is trusted, and where one digest stands for many files each of them. */
async function fileLines(
  file: PluginFile,
  coveredBy: (file: PluginFile) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const covered = await coveredBy(file);
  const hidden = covered.length - mostShown;
  return [
    `  SHA-256  ${file.sha256}  ${printable(file.file)} (${file.what})`,
    ...covered.slice(0, mostShown).map((name) => `    covers ${printable(name)}`),
    ...(hidden > 0 ? [`    and ${String(hidden)} more`] : []),
  ];
}

/** Values may be secrets, and their names are enough to decide; but not of those that say what code is loaded. */
function environmentLines(
  env: LocatedPlugin['env'],
  isInFull: (variable: string) => boolean,
): readonly string[] {
  const names = Object.keys(env).filter((name) => !isInFull(name));
  const loading = Object.entries(env).filter(([name]) => isInFull(name));
  return [
    ...(names.length === 0 ? [] : [`  env      ${names.map(printable).join(', ')}`]),
    ...loading.map(([name, value]) => `  env      ${printable(`${name}=${JSON.stringify(value)}`)}`),
  ];
}

async function agree(plugins: readonly LocatedPlugin[], { input, output, signal }: Context): Promise<void> {
  if (!input.isTerminal || output.isJson)
    throw new Failure(
      'trust.not_asked',
      'Nothing was trusted: there is nobody to ask.',
      // By name: others that are not trusted either were not looked at.
      `tidegate plugin trust ${plugins.map(({ name }) => printable(name)).join(' ')} --yes`,
    );
  const answer = await input.ask('Run these whenever Tidegate works here? [y/N] ');
  if (signal.aborted || !/^y(es)?$/i.test(answer.trim()))
    throw new Failure('trust.refused', 'Nothing was trusted.');
}

async function forgetAll(plugins: readonly LocatedPlugin[], context: Context): Promise<ExitCode> {
  const { output } = context;
  const { openState } = await import('../../app/index.js');
  const { trust } = openState(context.env);
  refuse(trust.problem());
  for (const { place } of plugins) refuse(trust.forget(place));
  output.json({ forgotten: plugins.map(({ name }) => name) });
  for (const { name } of plugins) output.line(`No longer trusted: ${printable(name)}`);
  return exitCodes.ok;
}

function refuse(problem: Problem | undefined): void {
  if (problem !== undefined) throw new Failure(problem.code, problem.message, problem.remedy);
}
