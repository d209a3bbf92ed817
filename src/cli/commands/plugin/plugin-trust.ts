import { dirname } from 'node:path';
import { messageOf } from '../../../lib/error-message.js';
import { describeProblem, printable, type Problem, shellWord } from '../../../config/index.js';
import type { LocatedPlugin } from '../../../config/plugins/index.js';
import type { Command, Context } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { fileRole } from './file-role.js';
import { findPlugin, locatedPlugins } from './with-plugins.js';
import { riskGroups } from '../config/risk-screen.js';

export const pluginTrust: Command = {
  name: 'plugin trust',
  summary: 'Review what a plugin would run, and trust exactly that content.',
  arguments: [{ name: '[names...]', about: 'Plugins to trust. Default: all untrusted plugins found here.' }],
  options: [
    { name: 'yes', about: 'Skip the confirmation prompt.' },
    { name: 'forget', about: 'Stop trusting the plugins.' },
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
        '--yes and --forget cannot be used together.',
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
  const { openState } = await import('../../../app/index.js');
  const { trust } = openState(context.env);
  refuse(trust.problem());
  const fresh = plugins.filter(isOpen);
  const { decidesWhatLoads, coveredFiles, lockOfPlugin } = await import('../../../config/plugins/index.js');
  for (const plugin of fresh) {
    for (const line of linesOf(plugin, decidesWhatLoads)) output.line(line);
    for (const file of plugin.files)
      for (const line of await fileLines(file, coveredFiles)) output.line(line);
    for (const line of riskLines(plugin)) output.line(line);
    output.line();
  }
  if (fresh.length > 0 && !isAgreed) await agree(fresh, context);
  for (const plugin of fresh) {
    const { record } = plugin;
    if (record === undefined) continue;
    const lock = lockOrFail(() => lockOfPlugin(plugin), plugin.name);
    refuse(trust.record(record.file, record.sha256, lock));
  }
  output.json({ trusted: plugins.map(({ name, files }) => ({ name, files })) });
  for (const { name, standing } of plugins)
    output.line(`${standing === 'trusted' ? 'Already trusted' : 'Trusted'}: ${printable(name)}`);
  if (plugins.length === 0) output.line('Nothing to trust.');
  return exitCodes.ok;
}

function lockOrFail<T>(lockOf: () => T, name: string): T {
  try {
    return lockOf();
  } catch (error) {
    const reason = messageOf(error);
    throw new Failure('trust.refused', `${printable(name)} was not trusted: ${reason}.`);
  }
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
    `${printable(name)}${standing === 'changed' ? ' (changed since it was trusted)' : ''}`,
    `  location ${quoted(place)}`,
    ...(start?.kind === 'program' ? [`  runs in  ${quoted(start.cwd)}`] : []),
    ...program,
    `  provides ${capabilities.join(', ') || 'not declared'}`,
    ...environmentLines(env, isInFull),
    ...(Object.keys(config).length === 0
      ? []
      : [`  settings ${Object.keys(config).map(printable).join(', ')}`]),
  ];
}

/** What the entry sets besides the program: addresses, secrets, protections, and which operations become tools. */
function riskLines({ keys, place }: LocatedPlugin): readonly string[] {
  const shown = keys.map((key) => (key.risk === 'starts' ? { ...key, risk: 'none' as const } : key));
  return riskGroups(shown, { folder: dirname(place) }).map((line) => (line === '' ? line : `  ${line}`));
}

type PluginFile = LocatedPlugin['files'][number];

/** Longer lists are not read; the digest covers the hidden files too. */
const mostShown = 200;

/** The trusted file, and every file that its digest covers. */
async function fileLines(
  file: PluginFile,
  coveredBy: (file: PluginFile) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const covered = await coveredBy(file);
  const hidden = covered.length - mostShown;
  return [
    `  SHA-256  ${file.sha256}  ${printable(file.file)} (${fileRole(file)})`,
    ...covered.slice(0, mostShown).map((name) => `    covers ${printable(name)}`),
    ...(hidden > 0 ? [`    and ${String(hidden)} more`] : []),
  ];
}

/** Shows names only, because values may be secrets. Variables that decide what code is loaded are shown in full. */
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
      'Nothing was trusted: confirmation requires a terminal.',
      // By name, so that plugins not shown above stay untrusted.
      `tidegate plugin trust ${plugins.map(({ name }) => shellWord(name)).join(' ')} --yes`,
    );
  const answer = await input.ask('Allow Tidegate to run these here? [y/N] ');
  if (signal.aborted || !/^y(es)?$/i.test(answer.trim()))
    throw new Failure('trust.refused', 'Nothing was trusted.');
}

async function forgetAll(plugins: readonly LocatedPlugin[], context: Context): Promise<ExitCode> {
  const { output } = context;
  const { openState } = await import('../../../app/index.js');
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
