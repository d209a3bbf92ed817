import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { PolicyToTrust, State } from '../../app/index.js';
import { hasErrors, printable, type Problem } from '../../config/index.js';
import type { Command, Context } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { forgetTrust, nearestPlace, policyOf, withoutConfig } from '../forget-trust.js';
import { locate, type Place, problemLines } from '../locate.js';
import { type PolicyWarnings, warningLines } from '../policy-warnings.js';
import { shortTime } from '../rights-text.js';
import { shellPath } from '../shell-path.js';
import { policyAt, policyLines, policyPlaceOf, realPolicyFile } from '../trust-policy.js';
import { noTools, toolLines, type ToolsToTrust, untrustedTools } from '../trust-tools.js';
import { isWorkflowFile, trustWorkflow } from '../trust-workflow.js';
import { realFile, type Starts, startsOf } from '../what-starts.js';

export const trust: Command = {
  name: 'trust',
  summary: 'Show what a workspace would start or run, and allow exactly this content to do so.',
  arguments: [
    {
      name: '[file]',
      about:
        'The file to trust. Default: the nearest tidegate.yaml, and the profiles, the model and the tools in .tidegate beside it. A workflow, so that agents may run it.',
    },
  ],
  options: [
    { name: 'yes', about: 'Do not ask.' },
    { name: 'forget', about: 'Take the trust back.' },
    { name: 'list', about: 'List the trusted files.' },
  ],
  examples: ['tidegate trust', 'tidegate trust ./tidegate.yaml --yes', 'tidegate trust --forget'],
  async run(given, context) {
    const { yes, forget, list } = given.options;
    if ([yes, forget, list].filter((option) => option === true).length > 1) {
      throw new Failure(
        'usage.exclusive',
        '--yes, --forget and --list exclude each other.',
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
  const { openState } = await import('../../app/index.js');
  const state = openState(env);
  refuse(state.problem ?? state.trust.problem());
  const records = state.trust.list();
  output.json({ trusted: records });
  output.table(
    records.map(({ file, sha256, recorded }) => [shortTime(recorded), sha256.slice(0, 12), printable(file)]),
  );
  if (records.length === 0)
    output.note('Nothing is trusted yet. See what this folder would start: tidegate trust');
  return exitCodes.ok;
}

/** What is to be trusted: a configuration file, profiles and model, tools, or all of them. */
interface Subject {
  readonly state: State;
  readonly place?: Place;
  readonly policy?: PolicyToTrust;
  /** Of the profiles and the model. */
  readonly zone: string;
  readonly tools: ToolsToTrust;
}

async function locateAny(named: string | undefined, context: Context): Promise<Subject> {
  const { openState } = await import('../../app/index.js');
  const state = openState(context.env);
  const path = named === undefined ? undefined : resolve(context.cwd, named);
  if (path !== undefined && isToolFile(path)) {
    const tools = await untrustedTools(dirname(dirname(dirname(path))), state);
    const files = tools.files.filter(({ file }) => basename(file) === basename(path));
    return { state, zone: 'local', tools: { ...tools, files } };
  }
  const near = await nearestPlace(context);
  // Who names a file means that file.
  if (path !== undefined) {
    const home = policyPlaceOf(path, near && policyOf(near.located));
    if (home === undefined || !existsSync(path))
      return { state, zone: 'local', place: await locate(named, context), tools: noTools };
    const policy = await policyAt(home, state, realPolicyFile(path));
    return { state, zone: home.access.zone, policy, tools: noTools };
  }
  const around = near === undefined ? withoutConfig(context) : policyOf(near.located);
  const policy = await policyAt(around, state);
  const tools = await untrustedTools(around.directory, state);
  const { zone } = around.access;
  if (near !== undefined) return { state, zone, place: near, policy, tools };
  if (policy.hasAny || policy.gone.length > 0 || tools.hasAny) return { state, zone, policy, tools };
  return { state, zone, place: await locate(undefined, context), tools };
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
  const files = [...fresh, ...(policy?.files ?? []), ...tools.files];
  const gone = policy?.gone ?? [];
  if (files.length + gone.length > 0) {
    for (const { starts } of fresh) starts.lines.forEach((line) => output.line(line));
    for (const line of policy ? policyLines(policy, context) : []) output.line(line);
    for (const line of toolLines(tools, context)) output.line(line);
    for (const line of warningLines(warned)) output.note(line);
    if (!isAgreed) await agree(config?.file, context);
    for (const { file, sha256 } of files) refuse(state.trust.record(file, sha256));
    for (const file of gone) refuse(state.trust.forget(file));
    await record(subject);
  }
  output.json({ ...plainTrust(config, subject), ...(policy && { warnings: warned.warnings }) });
  if (config?.isTrusted === true) output.line(`Already trusted: ${printable(config.file)}`);
  for (const { file } of files) output.line(`Trusted: ${printable(file)}`);
  for (const file of gone) output.line(`No longer trusted: ${printable(file)}`);
  if (config === undefined && files.length + gone.length === 0) output.line('Already trusted.');
  return exitCodes.ok;
}

/** What the profiles name that fits no tool. Of servers that nobody trusted yet, no tool is known. */
async function warningsOf(
  policy: PolicyToTrust | undefined,
  { cwd, env, version }: Context,
): Promise<PolicyWarnings> {
  if (policy === undefined || policy.files.length === 0) return { warnings: [], unlisted: [] };
  const { knownTools } = await import('../../app/known-tools.js');
  const known = await knownTools({ cwd, env, version });
  if (known === undefined) return { warnings: [], unlisted: [] };
  return { warnings: problemLines(policy.warnings(known.tools)), unlisted: known.unlisted };
}

/** Who may do what has changed: that is worth a record, as every other change of rights. */
async function record({ policy, state, zone }: Subject): Promise<void> {
  const { recordPolicyChanges } = await import('../../app/policy-records.js');
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
      starts: config.starts.servers,
      settings: config.starts.settings,
    }),
    policy: policy?.files.map((one) => ({ kind: one.kind, ...plain(one) })) ?? [],
    tools: tools.files.map(plain),
  };
}

interface ConfigToTrust {
  readonly file: string;
  readonly sha256: string;
  readonly isTrusted: boolean;
  readonly starts: Starts;
}

async function configToTrust({ located, trustProblem }: Place, context: Context): Promise<ConfigToTrust> {
  const { sha256, isTrusted, problems } = located;
  const file = realFile(located);
  refuse(trustProblem);
  if (hasErrors(problems) || sha256 === undefined) {
    const next = `tidegate config check ${shellPath(file)}`;
    throw new Failure(
      'config.invalid',
      'Nothing was trusted: the file has errors.',
      next,
      problemLines(problems),
    );
  }
  return { file, sha256, isTrusted, starts: await startsOf(located, context) };
}

async function agree(file: string | undefined, { input, output, signal }: Context): Promise<void> {
  if (!input.isTerminal || output.isJson) {
    const message = 'Nothing was trusted: there is nobody to ask.';
    throw new Failure(
      'trust.not_asked',
      message,
      `tidegate trust${file === undefined ? '' : ` ${shellPath(file)}`} --yes`,
    );
  }
  const answer = await input.ask('Start and run these whenever Tidegate works here? [y/N] ');
  if (signal.aborted || !/^y(es)?$/i.test(answer.trim())) {
    throw new Failure('trust.refused', 'Nothing was trusted.');
  }
}

function refuse(problem: Problem | undefined): void {
  if (problem === undefined) return;
  throw new Failure(problem.code, problem.message, problem.remedy);
}
