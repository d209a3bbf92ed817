import { realpathSync } from 'node:fs';
import {
  type AgentCli,
  AgentFailure,
  type AgentOrder,
  findProgram,
  type KnownCli,
  tryCli,
  type Verdict,
} from '../../agents/index.js';
import type { Environment } from '../../config/index.js';
import type { Tidegate } from '../tidegate.js';
import { openTrialGround, sweepTrials } from './trial-ground.js';
import { openVerdicts, packageVersion, verdictKey } from './verdicts.js';

export interface KnowParts {
  readonly stateDirectory: string;
  readonly cwd: string;
  readonly version: string;
  readonly openGate: Tidegate['openBeside'];
}

type Asked = Pick<AgentOrder, 'options' | 'env' | 'signal' | 'onEvent' | 'isIsolated'>;

/** Finds an agent CLI and what is known of its isolation. A version that nobody has seen is tried first. */
export async function knowCli(cli: AgentCli, order: Asked, parts: KnowParts): Promise<KnownCli> {
  const program = programOf(cli, order, parts.cwd);
  sweepTrials();
  if (order.isIsolated === false)
    return { program, verdict: { kind: 'unprovable', version: '', why: 'it keeps its own tools' } };
  const { model } = order.options;
  const wish = {
    ...parts,
    env: order.env,
    signal: order.signal,
    ...(typeof model === 'string' && { model }),
  };
  const remembered = rememberedVerdict(cli, program, wish);
  if (remembered !== undefined) return { program, verdict: remembered };
  const note = (text: string): void => order.onEvent({ kind: 'note', text });
  note(`${cli.title} is tried once before its first run${withModel(wish)}: can it go round the gate?`);
  const verdict = await provenVerdict(cli, program, wish);
  note(verdictWords(cli, verdict));
  return { program, verdict };
}

function withModel({ model }: { readonly model?: string }): string {
  return model === undefined ? '' : ` with the model ${model}`;
}

/** What came of a trial, in one sentence. */
function verdictWords({ title }: AgentCli, verdict: Verdict): string {
  const who = `${title} ${verdict.version}${withModel(verdict)}`;
  if (verdict.kind === 'isolated') return `${who} is isolated: it cannot go round the gate.`;
  if (verdict.kind === 'leaks') return `${who} leaks: ${verdict.leaks.join(', ')}.`;
  return `${who} is unprovable: ${verdict.why.replace(/\.$/, '')}.`;
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

/** Verdicts for models that were named, as far as they still hold. */
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

/** Tries a CLI and remembers what came of it, unless it was stopped. */
export async function provenVerdict(cli: AgentCli, program: string, place: TrialPlace): Promise<Verdict> {
  const { model, version, stateDirectory } = place;
  const first = await attempt(cli, program, place);
  // On a busy machine an agent may come too late for what it can do: that is looked at twice.
  const verdict = isWeak(first) ? stronger(first, await attempt(cli, program, place)) : first;
  const at = new Date().toISOString();
  const remembered = { cli: cli.name, program, verdict, at, ...(model !== undefined && { model }) };
  openVerdicts(stateDirectory).set(verdictKey(cli.name, program, model, version), remembered);
  return verdict;
}

function isWeak(verdict: Verdict): boolean {
  return verdict.kind === 'unprovable' || (verdict.kind === 'isolated' && !verdict.growsList);
}

/** A leak outweighs everything; then whatever proves more. */
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
    const wish = { cli, program, version: known, signal, ...(model !== undefined && { model }) };
    const verdict = await tryCli(wish, ground);
    if (signal.aborted) throw new AgentFailure('EXECUTION.WORKFLOW.CANCELLED', 'The trial was stopped.');
    return verdict;
  } finally {
    await ground.close();
  }
}

function programOf(
  cli: AgentCli,
  { options, env }: Pick<AgentOrder, 'options' | 'env'>,
  cwd: string,
): string {
  const { program: named } = options;
  const wanted = typeof named === 'string' && named !== '' ? named : cli.program;
  const program = findProgram(wanted, env, cwd);
  if (program !== undefined) return program;
  const quoted = JSON.stringify(wanted);
  throw wanted === named
    ? new AgentFailure(
        'EXECUTION.AGENT.UNAVAILABLE',
        `${quoted}, which options.program names, is no file that can be started.`,
        'correct options.program, or leave it out: then the one on PATH is started',
      )
    : new AgentFailure(
        'EXECUTION.AGENT.UNAVAILABLE',
        `${cli.title} is not installed: there is no ${quoted} on PATH. Install it: ${cli.install}`,
        cli.install,
      );
}
