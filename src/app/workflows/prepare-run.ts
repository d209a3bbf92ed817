import { hostname } from 'node:os';
import { join } from 'node:path';
import { isSecretName } from '../../concerns/log/index.js';
import { quote, type Session } from '../../kernel/index.js';
import {
  beginJournal,
  bundleOf,
  openTranscript,
  readInputs,
  resumeJournal,
  type RunHead,
  runWorkflow,
  type Validated,
  validateWorkflow,
} from '../../workflow/index.js';
import { operatorName } from '../operator-name.js';
import type { Tidegate } from '../tidegate.js';
import { openAgents } from './agents.js';
import { openWorkflowLibrary } from './library.js';
import { createRecordRedactor } from './record-redactor.js';
import type { RunAnswer, RunPlace, RunWish } from './run-wish.js';
import { openTickets } from './tickets.js';
import { gateNames } from './gate-names.js';

/** Where a run is carried out, and with whose rights. */
export interface RunGate {
  readonly tidegate: Tidegate;
  readonly session: Session;
}

/** From a wish to its run: the file, its findings, its inputs, its records. */
export async function prepareRun(wish: RunWish, place: RunPlace, gate: RunGate): Promise<RunAnswer> {
  const library = wish.library ?? (await openWorkflowLibrary(wish));
  const text = place.head === undefined ? wish.text : place.head.text;
  const name = place.head?.file ?? wish.workflow ?? '';
  const file = text === undefined ? library.find(name) : join(library.cwd, 'agent.yaml');
  if (file === undefined)
    return { kind: 'unknown', what: 'workflow', name, known: library.list().map((one) => one.name) };
  const { plugins } = gate.tidegate;
  const validated = await validateWorkflow(file, {
    library,
    names: await gateNames({ ...wish, willTry: true }),
    isStrict: false,
    env: wish.env,
    plugins,
    signal: wish.signal,
    // What was done of it is not asked again; a single step says itself what it lacks.
    isNeeded: place.head === undefined && wish.only === undefined,
    ...(text !== undefined && { text }),
  });
  const { workflow, findings } = validated;
  if (!validated.isValid) return { kind: 'invalid', file, findings };
  if (wish.only !== undefined && !workflow.steps.has(wish.only.step))
    return { kind: 'unknown', what: 'step', name: wish.only.step, known: [...workflow.steps.keys()] };
  // A step that begins knows every tool, and tells the same better.
  wish.onFindings?.(findings.filter(({ code }) => code !== 'WORKFLOW.VALIDATION.UNKNOWN_TOOL'));
  tellUntrusted(wish, gate, workflow);
  tellIdle(wish, workflow);
  const read = readInputs(workflow.inputs, { ...place.head?.inputs, ...wish.inputs }, library.cwd);
  const problems = [...read.problems, ...replacedInputs(wish, place.head, read.values)];
  if (problems.length > 0 || read.missing.length > 0) return { kind: 'inputs', ...read, problems };
  // With every file that it uses.
  const sha256 = text === undefined ? bundleOf(file, library).sha256 : (validated.sha256 ?? '');
  if (place.head !== undefined && place.head.sha256 !== sha256) wish.onChanged?.(file);
  const records = openRecords(wish, place, { ...validated, sha256 }, read.values, text);
  const { tidegate, session } = gate;
  const agents = openAgents(tidegate, wish, place);
  try {
    const result = await runWorkflow(
      {
        runId: place.runId,
        workflow,
        inputs: read.values,
        ...records,
        isResumed: place.head !== undefined,
        signal: wish.signal,
        ...(wish.only && { only: wish.only }),
      },
      {
        library,
        env: wish.env,
        processes: tidegate.processes,
        gateway: tidegate.gateway,
        session,
        tickets: openTickets(session, tidegate.subSession, tidegate.surface.surface),
        plugins,
        agents: agents.byName,
        ...(tidegate.openSpan && { openSpan: tidegate.openSpan }),
        redact: records.redact,
        folder: place.folder,
        version: wish.version,
        newRequestId: () => tidegate.newRequestId(),
        identity: { user: operatorName(), hostname: hostname() },
        now: () => Date.now(),
        onEvent: wish.onEvent,
        ...(wish.ask && { ask: wish.ask }),
        ...(wish.isStillTrusted && { isStillTrusted: wish.isStillTrusted }),
      },
    );
    return { kind: 'ran', result, folder: place.folder };
  } finally {
    await agents.close();
    records.journal.close();
    records.transcript.close();
  }
}

function tellUntrusted(
  { onUntrusted }: RunWish,
  { tidegate }: RunGate,
  { steps }: Validated['workflow'],
): void {
  const { trust, config } = tidegate;
  const hasServers = config.servers.some(({ isEnabled }) => isEnabled);
  if (trust.isTrusted || trust.file === undefined || !hasServers) return;
  if ([...steps.values()].some(({ kind }) => kind === 'agent')) onUntrusted?.(trust.file);
}

/** Commands are bounded by no profile. Agents are, operations of plugins, and whatever a called workflow has of these. */
function tellIdle({ profile, onIdleProfile }: RunWish, { steps }: Validated['workflow']): void {
  const isFree = ({ kind }: { readonly kind: string }): boolean => freeKinds.includes(kind);
  if (profile !== undefined && [...steps.values()].every(isFree)) onIdleProfile?.(profile);
}

const freeKinds: readonly string[] = ['command', 'parallel', 'for_each', 'while', 'terminal'];

type Values = Readonly<Record<string, unknown>>;

/** What is done was done with the old value: the rest would not fit it. Secrets were not kept, and are given again. */
function replacedInputs({ inputs }: RunWish, head: RunHead | undefined, values: Values): readonly string[] {
  if (head === undefined) return [];
  return Object.keys(inputs)
    .filter((name) => Object.hasOwn(head.inputs, name) && head.inputs[name] !== values[name])
    .map(
      (name) =>
        `The run began with the input ${quote(name)} as ${JSON.stringify(head.inputs[name])}, and goes on with it. Start a new run for another value.`,
    );
}

function openRecords(
  wish: RunWish,
  { runId, folder, head }: RunPlace,
  validated: Validated,
  inputs: Values,
  text: string | undefined,
) {
  const redact = createRecordRedactor(inputs, wish.env);
  const file = join(folder, 'journal.jsonl');
  const journal =
    head === undefined
      ? beginJournal(file, headOf(wish, runId, validated, inputs, text))
      : resumeJournal(file, { at: new Date().toISOString(), sha256: validated.sha256 ?? '' });
  const transcript = openTranscript({
    file: join(folder, 'transcript.jsonl'),
    runId,
    redact,
    now: () => Date.now(),
  });
  return { journal, transcript, redact };
}

function headOf(
  wish: RunWish,
  id: string,
  validated: Validated,
  inputs: Values,
  text: string | undefined,
): RunHead {
  const isSecret = ([name]: readonly [string, unknown]): boolean => isSecretName(name);
  const entries = Object.entries(inputs);
  return {
    kind: 'run',
    id,
    name: validated.workflow.name,
    file: validated.file,
    sha256: validated.sha256 ?? '',
    cwd: wish.cwd,
    startedAt: new Date().toISOString(),
    version: wish.version,
    inputs: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    withheld: entries.filter(isSecret).map(([name]) => name),
    ...(text !== undefined && { text }),
    ...(wish.profile !== undefined && { profile: wish.profile }),
  };
}
