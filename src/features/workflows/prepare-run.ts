import { hostname } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { chainOf } from '../../access/authorizer/index.js';
import { formatPrincipal } from '../../access/index.js';
import { quote } from '../../lib/source-place.js';
import type { Session } from '../../core/index.js';
import type { Shell } from '../../ports/shell.js';
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
import { createStepRights } from './step-rights.js';
import { createRecordRedactor, isSecretInput } from './record-redactor.js';
import type { RunAnswer, RunPlace, RunOptions } from './run-options.js';
import { openTickets } from '../../workspace/agents/tickets.js';
import { gatewayNames } from './gateway-names.js';

/** The gateway and the session of a run. */
export interface RunGateway {
  readonly tidegate: Tidegate;
  readonly session: Session;
}

/** Prepares and executes a run: finds the file, validates it, reads inputs, opens the records. */
export async function prepareRun(options: RunOptions, place: RunPlace, gate: RunGateway): Promise<RunAnswer> {
  const library = options.library ?? (await openWorkflowLibrary(options));
  const text = place.head === undefined ? options.text : place.head.text;
  const name = place.head?.file ?? options.workflow ?? '';
  const file = text === undefined ? library.find(name) : join(library.cwd, 'agent.yaml');
  if (file === undefined)
    return { kind: 'unknown', what: 'workflow', name, known: library.list().map((one) => one.name) };
  const { plugins } = gate.tidegate;
  const validated = await validateWorkflow(file, {
    library,
    names: await gatewayNames({ ...options, willTry: true }),
    isStrict: false,
    env: options.env,
    plugins,
    signal: options.signal,
    // A resumed run does not need finished parts, and a single step reports what it needs itself.
    isNeeded: place.head === undefined && options.only === undefined,
    ...(text !== undefined && { text }),
  });
  const { workflow, findings } = validated;
  if (!validated.isValid) return { kind: 'invalid', file, findings };
  if (options.only !== undefined && !workflow.steps.has(options.only.step))
    return { kind: 'unknown', what: 'step', name: options.only.step, known: [...workflow.steps.keys()] };
  // When a step starts, all tools are known and the message is more precise.
  options.onFindings?.(findings.filter(({ code }) => code !== 'WORKFLOW.VALIDATION.UNKNOWN_TOOL'));
  tellUntrusted(options, gate, workflow);
  tellIdle(options, workflow);
  const read = readInputs(workflow.inputs, { ...place.head?.inputs, ...options.inputs }, library.cwd);
  const problems = [...read.problems, ...replacedInputs(options, place.head, read.values)];
  if (problems.length > 0 || read.missing.length > 0) return { kind: 'inputs', ...read, problems };
  // Covers every file the workflow uses.
  const sha256 = text === undefined ? bundleOf(file, library).sha256 : (validated.sha256 ?? '');
  if (place.head !== undefined && place.head.sha256 !== sha256) options.onChanged?.(file);
  const { tidegate, session } = gate;
  const records = openRecords(options, place, { ...validated, sha256 }, read.values, text, session);
  const agents = openAgents(tidegate, options, place);
  try {
    const result = await runWorkflow(
      {
        runId: place.runId,
        workflow,
        inputs: read.values,
        ...records,
        isResumed: place.head !== undefined,
        signal: options.signal,
        ...(options.only && { only: options.only }),
      },
      {
        library,
        env: options.env,
        processes: tidegate.processes,
        gateway: tidegate.gateway,
        session,
        tickets: openTickets(session, tidegate.subSession, tidegate.exposure.exposure),
        plugins,
        agents: agents.byName,
        ...(tidegate.openSpan && { openSpan: tidegate.openSpan }),
        redact: records.redact,
        folder: place.folder,
        version: options.version,
        newRequestId: () => tidegate.newRequestId(),
        identity: { user: operatorName(), hostname: hostname() },
        now: () => Date.now(),
        onEvent: options.onEvent,
        ...(options.ask && { ask: options.ask }),
        ...(options.isStillTrusted && { isStillTrusted: options.isStillTrusted }),
        ...(options.isForAgent === true && agentLimits(options, gate, library.isUnsandboxed(file))),
      },
    );
    return { kind: 'ran', result, folder: place.folder };
  } finally {
    await agents.close();
    records.journal.close();
    records.transcript.close();
  }
}

/** What a run that an agent started may not do. */
function agentLimits(
  { toolPatterns }: RunOptions,
  { tidegate, session }: RunGateway,
  isUnsandboxed: boolean,
): Pick<Parameters<typeof runWorkflow>[1], 'isForAgent' | 'mayRunStep' | 'sandbox'> {
  const stream: Shell['stream'] = async (order) => (await tidegate.shellFor(session)).stream(order);
  return {
    isForAgent: true,
    mayRunStep: createStepRights(tidegate, session, toolPatterns),
    ...(!isUnsandboxed && { sandbox: { stream } }),
  };
}

function tellUntrusted(
  { onUntrusted }: RunOptions,
  { tidegate }: RunGateway,
  { steps }: Validated['workflow'],
): void {
  const { trust, config } = tidegate;
  const hasServers = config.servers.some(({ isEnabled }) => isEnabled);
  if (trust.isTrusted || trust.file === undefined || !hasServers) return;
  if ([...steps.values()].some(({ kind }) => kind === 'agent')) onUntrusted?.(trust.file);
}

/** Reports a profile without effect: profiles limit agents and plugin operations (also in called workflows), not commands. */
function tellIdle({ profile, onIdleProfile }: RunOptions, { steps }: Validated['workflow']): void {
  const isFree = ({ kind }: { readonly kind: string }): boolean => freeKinds.includes(kind);
  if (profile !== undefined && [...steps.values()].every(isFree)) onIdleProfile?.(profile);
}

const freeKinds: readonly string[] = ['command', 'parallel', 'for_each', 'while', 'terminal'];

type Values = Readonly<Record<string, unknown>>;

/** Finished steps used the old value, so inputs cannot change on resume. Secrets are not stored and must be given again. */
function replacedInputs(
  { inputs }: RunOptions,
  head: RunHead | undefined,
  values: Values,
): readonly string[] {
  if (head === undefined) return [];
  return Object.keys(inputs)
    .filter((name) => Object.hasOwn(head.inputs, name) && !isDeepStrictEqual(head.inputs[name], values[name]))
    .map(
      (name) =>
        `The run started with input ${quote(name)} = ${JSON.stringify(head.inputs[name])} and cannot change it. Start a new run to use another value.`,
    );
}

function openRecords(
  options: RunOptions,
  { runId, folder, head }: RunPlace,
  validated: Validated,
  inputs: Values,
  text: string | undefined,
  session: Session,
) {
  const redact = createRecordRedactor(inputs, options.env);
  const file = join(folder, 'journal.jsonl');
  const journal =
    head === undefined
      ? beginJournal(file, headOf(options, runId, validated, inputs, text, session))
      : resumeJournal(file, {
          at: new Date().toISOString(),
          sha256: validated.sha256 ?? '',
          ...(options.takesOver === true &&
            head.rights && { takenOverBy: formatPrincipal(session.principal) }),
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
  options: RunOptions,
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
    cwd: options.cwd,
    startedAt: new Date().toISOString(),
    version: options.version,
    inputs: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    withheld: entries.filter(isSecret).map(([name]) => name),
    startedBy: formatPrincipal(session.principal),
    ...(options.isForAgent === true && { rights: chainOf(session) }),
    ...(text !== undefined && { text }),
    ...(options.profile !== undefined && { profile: options.profile }),
    ...gatewayOf(options),
  };
}

function gatewayOf({ configFile: config, toolPatterns: tools }: RunOptions): Pick<RunHead, 'gateway'> {
  if (config === undefined && tools === undefined) return {};
  return { gateway: { ...(config !== undefined && { config }), ...(tools && { tools }) } };
}
