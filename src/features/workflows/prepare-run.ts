import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { chainOf } from '../../access/authorizer/index.js';
import { formatPrincipal } from '../../access/index.js';
import { quote } from '../../lib/source-place.js';
import type { Session } from '../../core/index.js';
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
import { operatorName } from '../../workspace/operator-name.js';
import type { Tidegate } from '../../workspace/tidegate.js';
import { openAgents } from './agents.js';
import { openWorkflowLibrary } from '../../workspace/workflow-library.js';
import { createRecordRedactor, isSecretInput } from './record-redactor.js';
import type { RunAnswer, RunPlace, RunWish } from './run-options.js';
import { openTickets } from '../../workspace/agents/tickets.js';
import { gateNames } from './gateway-names.js';

/** The gateway and the session of a run. */
export interface RunGate {
  readonly tidegate: Tidegate;
  readonly session: Session;
}

/** Prepares and executes a run: finds the file, validates it, reads inputs, opens the records. */
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
    // A resumed run does not need finished parts, and a single step reports what it needs itself.
    isNeeded: place.head === undefined && wish.only === undefined,
    ...(text !== undefined && { text }),
  });
  const { workflow, findings } = validated;
  if (!validated.isValid) return { kind: 'invalid', file, findings };
  if (wish.only !== undefined && !workflow.steps.has(wish.only.step))
    return { kind: 'unknown', what: 'step', name: wish.only.step, known: [...workflow.steps.keys()] };
  // When a step starts, all tools are known and the message is more precise.
  wish.onFindings?.(findings.filter(({ code }) => code !== 'WORKFLOW.VALIDATION.UNKNOWN_TOOL'));
  tellUntrusted(wish, gate, workflow);
  tellIdle(wish, workflow);
  const read = readInputs(workflow.inputs, { ...place.head?.inputs, ...wish.inputs }, library.cwd);
  const problems = [...read.problems, ...replacedInputs(wish, place.head, read.values)];
  if (problems.length > 0 || read.missing.length > 0) return { kind: 'inputs', ...read, problems };
  // Covers every file the workflow uses.
  const sha256 = text === undefined ? bundleOf(file, library).sha256 : (validated.sha256 ?? '');
  if (place.head !== undefined && place.head.sha256 !== sha256) wish.onChanged?.(file);
  const { tidegate, session } = gate;
  const records = openRecords(wish, place, { ...validated, sha256 }, read.values, text, session);
  const needsSandbox = wish.isForAgent === true && !library.isUnsandboxed(file);
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
        ...(wish.isForAgent === true && { isForAgent: true }),
        ...(needsSandbox && {
          sandbox: { stream: async (order) => (await tidegate.shellFor(session)).stream(order) },
        }),
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

/** Reports a profile without effect: profiles limit agents and plugin operations (also in called workflows), not commands. */
function tellIdle({ profile, onIdleProfile }: RunWish, { steps }: Validated['workflow']): void {
  const isFree = ({ kind }: { readonly kind: string }): boolean => freeKinds.includes(kind);
  if (profile !== undefined && [...steps.values()].every(isFree)) onIdleProfile?.(profile);
}

const freeKinds: readonly string[] = ['command', 'parallel', 'for_each', 'while', 'terminal'];

type Values = Readonly<Record<string, unknown>>;

/** Finished steps used the old value, so inputs cannot change on resume. Secrets are not stored and must be given again. */
function replacedInputs({ inputs }: RunWish, head: RunHead | undefined, values: Values): readonly string[] {
  if (head === undefined) return [];
  return Object.keys(inputs)
    .filter((name) => Object.hasOwn(head.inputs, name) && !isDeepStrictEqual(head.inputs[name], values[name]))
    .map(
      (name) =>
        `The run started with input ${quote(name)} = ${JSON.stringify(head.inputs[name])} and cannot change it. Start a new run to use another value.`,
    );
}

function openRecords(
  wish: RunWish,
  { runId, folder, head }: RunPlace,
  validated: Validated,
  inputs: Values,
  text: string | undefined,
  session: Session,
) {
  const redact = createRecordRedactor(inputs, wish.env);
  const file = join(folder, 'journal.jsonl');
  const journal =
    head === undefined
      ? beginJournal(file, headOf(wish, runId, validated, inputs, text, session))
      : resumeJournal(file, {
          at: new Date().toISOString(),
          sha256: validated.sha256 ?? '',
          ...(wish.takesOver === true && head.rights && { takenOverBy: formatPrincipal(session.principal) }),
        });
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
  session: Session,
): RunHead {
  const isSecret = ([name, value]: readonly [string, unknown]): boolean => isSecretInput(name, value);
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
    startedBy: formatPrincipal(session.principal),
    ...(wish.isForAgent === true && { rights: chainOf(session) }),
    ...(text !== undefined && { text }),
    ...(wish.profile !== undefined && { profile: wish.profile }),
  };
}
