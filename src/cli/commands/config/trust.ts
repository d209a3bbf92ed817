import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { PolicyToTrust, State } from '../../../app/index.js';
import { hasErrors, printable, type Problem, shellWord } from '../../../config/index.js';
import type { Command, Context } from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { forgetTrust, nearestPlace, policyOf, withoutConfig } from './forget-trust.js';
import { locate, type Place, problemLines } from '../../locate.js';
import { type PolicyWarnings, warningLines } from '../access/policy-warnings.js';
import { shortTime } from '../access/rights-text.js';
import { policyAt, policyLines, policyPlaceOf, realPolicyFile } from './trust-policy.js';
import { refreshLocks, serverFileLines, untrustedServers } from './trust-servers.js';
import { lockOfTool, noTools, toolLines, type ToolsToTrust, untrustedTools } from './trust-tools.js';
import { isWorkflowFile, trustWorkflow } from './trust-workflow.js';
import { type ConfigRisks, configRisks, realFile, recordConfig } from './trust-config.js';
import { openTidegate } from '../../open-tidegate.js';

export const trust: Command = {
  name: 'trust',
  summary: 'Review what a workspace would start or run, and trust exactly that content.',
  arguments: [
    {
      name: '[file]',
      about:
        'File to trust. Default: the nearest tidegate.yaml and the profiles, model and tools in .tidegate next to it. Name a workflow file to let agents run it.',
    },
  ],
  options: [
    { name: 'yes', about: 'Skip the confirmation prompt.' },
    { name: 'forget', about: 'Stop trusting the file.' },
    { name: 'list', about: 'List trusted files.' },
  ],
  examples: ['tidegate trust', 'tidegate trust ./tidegate.yaml --yes', 'tidegate trust --forget'],
  async run(given, context) {
    const { yes, forget, list } = given.options;
    if ([yes, forget, list].filter((option) => option === true).length > 1) {
      throw new Failure(
        'usage.exclusive',
        '--yes, --forget and --list cannot be used together.',
        'tidegate trust --help',
      );
    }
    if (list === true) return listTrusted(context);
    const [named] = given.arguments;
    if (forget === true) return forgetTrust(named, context);
    if (isWorkflowFile(named, context)) {
      return trustWorkflow(named, context, async () => {
        if (yes !== true) await agree(named, context);
      });
    }
    return trustPlace(await locateAny(named, context), context, yes === true);
  },
};

async function listTrusted({ env, output }: Context): Promise<ExitCode> {
  const { openState } = await import('../../../app/index.js');
  const state = openState(env);
  refuse(state.problem ?? state.trust.problem());
  const records = state.trust.list();
  output.json({ trusted: records });
  output.table(
    records.map(({ file, sha256, recorded }) => [shortTime(recorded), sha256.slice(0, 12), printable(file)]),
  );
  if (records.length === 0) output.note('Nothing is trusted yet. To review this folder: tidegate trust');
  return exitCodes.ok;
}

/** What to trust: a configuration file, profiles and model, tools, or all of them. */
interface Subject {
  readonly state: State;
  readonly place?: Place;
  readonly policy?: PolicyToTrust;
  /** The zone of the profiles and the model. */
  readonly zone: string;
  readonly tools: ToolsToTrust;
  /** Configuration files that were trusted here and no longer exist. */
  readonly gone: readonly string[];
}

async function locateAny(named: string | undefined, context: Context): Promise<Subject> {
  const { goneConfigs, openState } = await import('../../../app/index.js');
  const state = openState(context.env);
  const path = named === undefined ? undefined : resolve(context.cwd, named);
  if (path !== undefined && isToolFile(path)) {
    const { located } = (await nearestPlace(context)) ?? {};
    const tools = await untrustedTools(dirname(dirname(dirname(path))), state, located);
    const files = tools.files.filter(({ file }) => basename(file) === basename(path));
    return { state, zone: 'local', tools: { ...tools, files }, gone: [] };
  }
  const near = await nearestPlace(context);
  // A named file is the only file to trust.
  if (path !== undefined) {
    const home = policyPlaceOf(path, near && policyOf(near.located));
    if (home === undefined || !existsSync(path))
      return { state, zone: 'local', place: await locate(named, context), tools: noTools, gone: [] };
    const policy = await policyAt(home, state, realPolicyFile(path));
    return { state, zone: home.access.zone, policy, tools: noTools, gone: [] };
  }
  const around = near === undefined ? withoutConfig(context) : policyOf(near.located);
  const policy = await policyAt(around, state);
  const tools = await untrustedTools(around.directory, state, near?.located);
  const { zone } = around.access;
  const gone = goneConfigs(context, state.trust);
  if (near !== undefined) return { state, zone, place: near, policy, tools, gone };
  if (policy.hasAny || policy.gone.length + gone.length > 0 || tools.hasAny)
    return { state, zone, policy, tools, gone };
  return { state, zone, place: await locate(undefined, context), tools, gone };
}

function isToolFile(path: string): boolean {
  return /\.tool\.(?:js|mjs|ts)$/.test(path) && basename(dirname(path)) === 'tools';
}

async function trustPlace(subject: Subject, context: Context, isAgreed: boolean): Promise<ExitCode> {
  const { state, place, policy, tools } = subject;
  const { output } = context;
  const warned = await warningsOf(policy, context);
  refuse(state.problem ?? state.trust.problem());
  const config = place && (await configToTrust(place, context));
  const fresh = config === undefined || config.isTrusted ? [] : [config];
  const servers = place === undefined ? [] : await untrustedServers(place.located, state, context.env);
  const files = [...fresh, ...(policy?.files ?? []), ...tools.files];
  const gone = [...(policy?.gone ?? []), ...subject.gone];
  if (files.length + gone.length + servers.length > 0) {
    for (const { risks, problems } of fresh) {
      risks.lines.forEach((line) => output.line(line));
      problemLines(problems).forEach((line) => output.note(line));
    }
    for (const file of subject.gone)
      output.line(`Missing: ${printable(file)}. Its rights and limits will no longer apply.`);
    for (const line of serverFileLines(servers, context.cwd)) output.line(line);
    for (const line of policy ? policyLines(policy, context) : []) output.line(line);
    for (const line of toolLines(tools, context)) output.line(line);
    for (const line of warningLines(warned)) output.note(line);
    if (!isAgreed) await agree(config?.file, context);
    for (const one of fresh) for (const problem of recordConfig(one, state)) refuse(problem);
    for (const { file, sha256 } of policy?.files ?? []) refuse(state.trust.record(file, sha256));
    const roots = place?.located.config.workspace.roots ?? [context.cwd];
    for (const tool of tools.files)
      refuse(state.trust.record(tool.file, tool.sha256, await lockOfTool(tool, roots)));
    const { recordServer } = await import('../../../config/started/index.js');
    for (const standing of servers) refuse(recordServer(standing, state.trust));
    for (const file of gone) refuse(state.trust.forget(file));
    await record(subject);
  }
  if (place !== undefined) await refreshLocks(place.located, state, context.env, refuse);
  output.json({
    ...plainTrust(config, subject),
    serverFiles: servers.map(({ name, files: run, changed }) => ({ server: name, files: run, changed })),
    ...(policy && { warnings: warned.warnings }),
  });
  if (config?.isTrusted === true) output.line(`Already trusted: ${printable(config.file)}`);
  for (const { file } of files) output.line(`Trusted: ${printable(file)}`);
  for (const { name, problem } of servers)
    output.line(`${problem === undefined ? 'Trusted' : 'Not trusted'}: files of servers.${printable(name)}`);
  for (const file of gone) output.line(`No longer trusted: ${printable(file)}`);
  if (config === undefined && files.length + gone.length === 0) output.line('Already trusted.');
  return exitCodes.ok;
}

/** Profile entries that match no tool. Tools of untrusted servers are unknown. */
async function warningsOf(
  policy: PolicyToTrust | undefined,
  { cwd, env, version }: Context,
): Promise<PolicyWarnings> {
  if (policy === undefined || policy.files.length === 0) return { warnings: [], unlisted: [] };
  const { knownTools } = await import('../../../features/admin/known-tools.js');
  const known = await knownTools(openTidegate, { cwd, env, version });
  if (known === undefined) return { warnings: [], unlisted: [] };
  return { warnings: problemLines(policy.warnings(known.tools)), unlisted: known.unlisted };
}

/** Trusting policy files changes rights, so it is audited like every other change of rights. */
async function record({ policy, state, zone }: Subject): Promise<void> {
  const { recordPolicyChanges } = await import('../../../workspace/policy/policy-records.js');
  const trusted = (policy?.files ?? []).map(({ file, sha256 }) => ({
    file,
    isTrusted: true,
    detail: { sha256 },
  }));
  const gone = (policy?.gone ?? []).map((file) => ({ file, isTrusted: false }));
  await recordPolicyChanges([...trusted, ...gone], { stateDirectory: state.directory, zone });
}

function plainTrust(
  config: ConfigToTrust | undefined,
  { policy, tools }: Subject,
): Readonly<Record<string, unknown>> {
  const plain = ({ file, sha256 }: { readonly file: string; readonly sha256: string }) => ({ file, sha256 });
  return {
    ...(config && {
      file: config.file,
      sha256: config.sha256,
      trusted: true,
      starts: config.risks.servers,
      keys: config.risks.keys,
    }),
    policy: policy?.files.map((one) => ({ kind: one.kind, ...plain(one) })) ?? [],
    tools: tools.files.map(plain),
  };
}

interface ConfigToTrust {
  readonly file: string;
  readonly link?: string;
  readonly sha256: string;
  readonly isTrusted: boolean;
  /** Warnings: a file with errors cannot be trusted. */
  readonly problems: readonly Problem[];
  readonly risks: ConfigRisks;
}

async function configToTrust({ located, trustProblem }: Place, context: Context): Promise<ConfigToTrust> {
  const { sha256, isTrusted, problems, link } = located;
  const file = realFile(located);
  refuse(trustProblem);
  if (hasErrors(problems) || sha256 === undefined) {
    const next = `tidegate config check ${shellWord(file)}`;
    throw new Failure(
      'config.invalid',
      'Nothing was trusted: the file has errors.',
      next,
      problemLines(problems),
    );
  }
  const risks = await configRisks(located, context);
  return { file, sha256, isTrusted, problems, risks, ...(link !== undefined && { link }) };
}

async function agree(file: string | undefined, { input, output, signal }: Context): Promise<void> {
  if (!input.isTerminal || output.isJson) {
    const message = 'Nothing was trusted: confirmation requires a terminal.';
    throw new Failure(
      'trust.not_asked',
      message,
      `tidegate trust${file === undefined ? '' : ` ${shellWord(file)}`} --yes`,
    );
  }
  const answer = await input.ask('Allow Tidegate to start and run these here? [y/N] ');
  if (signal.aborted || !/^y(es)?$/i.test(answer.trim())) {
    throw new Failure('trust.refused', 'Nothing was trusted.');
  }
}

function refuse(problem: Problem | undefined): void {
  if (problem === undefined) return;
  throw new Failure(problem.code, problem.message, problem.remedy);
}
