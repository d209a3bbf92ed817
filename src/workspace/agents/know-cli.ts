import { realpathSync } from 'node:fs';
import {
  type AgentCli,
  AgentFailure,
  type AgentOrder,
  type KnownCli,
  tryCli,
  type Verdict,
} from '../../agents/index.js';
import { findProgram } from '../../lib/find-program.js';
import type { Environment } from '../../config/index.js';
import type { Tidegate } from '../tidegate.js';
import { findAgent } from './find-agent.js';
import type { SensePlace } from '../project-sense.js';
import { openTrialGround, sweepTrials } from './trial-ground.js';
import { openVerdicts, packageVersion, verdictKey } from './verdicts.js';

export interface KnowParts {
  readonly stateDirectory: string;
  readonly cwd: string;
  /** The workspace roots; agents are never started from there. */
  readonly roots?: readonly string[];
  readonly version: string;
  readonly openGate: Tidegate['openBeside'];
}

type Asked = Pick<AgentOrder, 'options' | 'env' | 'signal' | 'onEvent' | 'isIsolated'>;

/** Finds an agent CLI and its isolation verdict. A new version is tested first. */
export async function knowCli(cli: AgentCli, order: Asked, parts: KnowParts): Promise<KnownCli> {
  const { program, env } = programOf(cli, order, parts);
  sweepTrials();
  if (order.isIsolated === false)
    return { program, env, verdict: { kind: 'unprovable', version: '', why: 'it keeps its own tools' } };
  const { model } = order.options;
  const request = {
    ...parts,
    env,
    signal: order.signal,
    ...(typeof model === 'string' && { model }),
  };
  const remembered = rememberedVerdict(cli, program, request);
  if (remembered !== undefined) return { program, env, verdict: remembered };
  const note = (text: string): void => order.onEvent({ kind: 'note', text });
  note(`Testing once whether ${cli.title}${withModel(request)} can bypass Tidegate.`);
  const verdict = await provenVerdict(cli, program, request);
  note(describeVerdict(cli, verdict));
  return { program, env, verdict };
}

function withModel({ model }: { readonly model?: string }): string {
  return model === undefined ? '' : ` with the model ${model}`;
}

/** The result of an isolation test as a sentence. */
function describeVerdict({ title }: AgentCli, verdict: Verdict): string {
  const who = `${title} ${verdict.version}${withModel(verdict)}`;
  if (verdict.kind === 'isolated') return `${who} is isolated: it cannot bypass Tidegate.`;
  if (verdict.kind === 'leaks') return `${who} leaks: ${verdict.leaks.join(', ')}.`;
  return `The isolation of ${who} could not be verified: ${verdict.why.replace(/\.$/, '')}.`;
}

export interface TrialPlace extends KnowParts {
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly model?: string;
}

export function rememberedVerdict(
  cli: AgentCli,
  program: string,
  { stateDirectory, model, version }: Omit<TrialPlace, 'signal' | 'openGate'>,
): Verdict | undefined {
  return openVerdicts(stateDirectory).get(verdictKey(cli.name, program, model, version));
}

/** Verdicts for explicitly named models that are still valid. */
export function verdictsByModel(
  cli: AgentCli,
  program: string,
  place: Omit<TrialPlace, 'signal' | 'openGate' | 'model'>,
): readonly Verdict[] {
  const known = openVerdicts(place.stateDirectory).list();
  const models = new Set(known.filter((one) => one.cli === cli.name).map(({ model }) => model));
  return [...models].flatMap((model) =>
    model === undefined ? [] : (rememberedVerdict(cli, program, { ...place, model }) ?? []),
  );
}

/** Tests a CLI and stores the verdict, unless the test was cancelled. */
export async function provenVerdict(cli: AgentCli, program: string, place: TrialPlace): Promise<Verdict> {
  const { model, version, stateDirectory } = place;
  const first = await attempt(cli, program, place);
  // On a busy machine an agent may be too slow for the test, so weak results are tested twice.
  const verdict = isWeak(first) ? stronger(first, await attempt(cli, program, place)) : first;
  const at = new Date().toISOString();
  const remembered = { cli: cli.name, program, verdict, at, ...(model !== undefined && { model }) };
  openVerdicts(stateDirectory).set(verdictKey(cli.name, program, model, version), remembered);
  return verdict;
}

function isWeak(verdict: Verdict): boolean {
  return verdict.kind === 'unprovable' || (verdict.kind === 'isolated' && !verdict.growsList);
}

/** A leak wins; otherwise the verdict that proves more. */
function stronger(first: Verdict, second: Verdict): Verdict {
  if (second.kind === 'leaks' || first.kind === 'unprovable') return second;
  return second.kind === 'isolated' ? second : first;
}

async function attempt(
  cli: AgentCli,
  program: string,
  { env, signal, model, version, openGate }: TrialPlace,
): Promise<Verdict> {
  const ground = await openTrialGround(env, version, openGate);
  try {
    const known = packageVersion(realpathSync(program)) ?? 'of unknown version';
    const request = { cli, program, version: known, signal, ...(model !== undefined && { model }) };
    const verdict = await tryCli(request, ground);
    if (signal.aborted)
      throw new AgentFailure('EXECUTION.WORKFLOW.CANCELLED', 'The isolation test was cancelled.');
    return verdict;
  } finally {
    await ground.close();
  }
}

function programOf(
  cli: AgentCli,
  { options, env }: Pick<AgentOrder, 'options' | 'env'>,
  { cwd, roots = [] }: Pick<KnowParts, 'cwd' | 'roots'>,
): Pick<KnownCli, 'program' | 'env'> {
  const { program: named } = options;
  if (typeof named === 'string' && named !== '') return namedProgram(named, { cwd, env, roots });
  const { program, env: own, planted } = findAgent(cli, { cwd, env, roots });
  if (program !== undefined) return { program, env: own };
  const why =
    planted === undefined
      ? `${JSON.stringify(cli.program)} is not on PATH`
      : `${planted} is part of this project, and Tidegate never starts agents from a project`;
  throw new AgentFailure(
    'EXECUTION.AGENT.UNAVAILABLE',
    `${cli.title} is not installed: ${why}. Install it with: ${cli.install}`,
    cli.install,
  );
}

/** A path is used as the operator wrote it; a name is looked up like any other agent. */
function namedProgram(named: string, place: SensePlace): Pick<KnownCli, 'program' | 'env'> {
  const { program, env: own } = findAgent({ program: named }, place);
  const found = /[\\/]/.test(named) ? findProgram(named, place.env, place.cwd) : program;
  if (found !== undefined) return { program: found, env: own };
  throw new AgentFailure(
    'EXECUTION.AGENT.UNAVAILABLE',
    `options.program is ${JSON.stringify(named)}, which is not an executable file.`,
    'fix options.program, or remove it to use the agent on PATH',
  );
}
