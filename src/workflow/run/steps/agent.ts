import { join } from 'node:path';
import {
  type Agent,
  type AgentAnswer,
  AgentFailure,
  type AgentOrder,
  type Usage,
} from '../../../agents/index.js';
import type { Session } from '../../../core/index.js';
import { providerNamed } from '../../grammar/providers.js';
import type { StepOf } from '../../grammar/workflow.js';
import { describeNativePermissions } from '../../describe-native-permissions.js';
import { createReader, type Frame, type Place, type Reader } from '../frame.js';
import { Cancelled, type Done, StepFailure } from '../result.js';
import { requireTrusted } from '../still-trusted.js';
import { readOutput } from './agent-output.js';
import { type AgentRecords, createAgentRecords } from './agent-records.js';
import { isIsolated, nativeReason } from '../../step-tools.js';
import { textOf } from './text-of.js';
import { toolsFor } from './agent-tools.js';

type AgentStep = StepOf<'agent'>;

/** Runs an agent with its own session, which ends with the step. */
export async function runAgent(step: AgentStep, frame: Frame, place: Place): Promise<Done> {
  const { parts } = frame;
  const reader = createReader(frame, step.name, place.loop);
  const agent = agentOf(step, reader, frame);
  const prompt = promptOf(step, reader, frame);
  const system = systemOf(step, reader, frame);
  await requireTrusted(frame);
  refuseNatives(step, reader.text(step.own.provider ?? ''), frame);
  warnAboutNativeTools(step, reader.text(step.own.provider ?? ''), frame, place);
  const given = await toolsFor(step, frame, place);
  const { tools } = given;
  const ticket = await parts.tickets.issue({ ...given, tools, run: frame.runId, step: step.name });
  const session = parts.tickets.redeem(ticket);
  if (session === undefined)
    throw new StepFailure('SYSTEM.INTERNAL.UNMAPPED', 'The session ticket of the step was already used.');
  const conversation = earlier(step, frame);
  const records = createAgentRecords(frame, place);
  try {
    const order = { step, frame, place, reader, session, system, conversation, records };
    const answer = await converse(agent, prompt, order);
    return doneOf(step, answer, records);
  } finally {
    parts.gateway.leave(session);
  }
}

function agentOf({ own }: AgentStep, reader: Reader, { parts }: Frame): Agent {
  const written = reader.text(own.provider ?? '');
  const name = providerNamed(written);
  const agent = name && parts.agents[name];
  if (agent !== undefined) return agent;
  const message = `Tidegate cannot run the provider ${JSON.stringify(written)}.`;
  throw new StepFailure('EXECUTION.AGENT.UNSUPPORTED', message);
}

/** An agent must not use a run to get access that the gateway would deny. */
function refuseNatives({ own, name }: AgentStep, provider: string, { parts }: Frame): void {
  const isCli = providerNamed(provider) !== 'openai_compatible';
  const reason = nativeReason(isCli, own.mcp_proxy, own.tidegate);
  if (parts.isForAgent !== true || reason === undefined) return;
  throw new StepFailure(
    'EXECUTION.AGENT.NOT_ISOLATED',
    `An agent started this run, but the step ${JSON.stringify(name)} is not isolated: ${reason}.`,
  );
}

/** Warns if a step does not configure tools: its author may not know that the agent has its own. */
function warnAboutNativeTools(
  { own }: AgentStep,
  provider: string,
  { parts }: Frame,
  { path, loop }: Place,
): void {
  const { mcp_proxy: proxy, tidegate: gate } = own;
  const isCli = providerNamed(provider) !== 'openai_compatible';
  if (!isCli || isIsolated(proxy, gate) || (loop?.index ?? 0) > 0) return;
  const away =
    proxy === undefined ? '. Add `mcp_proxy: {enable: true}` or a `tidegate:` block to remove them' : '';
  const text = `${provider} keeps its own tools here, and their calls bypass Tidegate${away}.`;
  parts.onEvent({ kind: 'log', path, text, isWarning: true });
  const permissions = `native permissions: ${describeNativePermissions(provider, own.options)}`;
  parts.onEvent({ kind: 'log', path, text: permissions, isWarning: false });
}

function promptOf({ own, source }: AgentStep, reader: Reader, { parts }: Frame): string {
  if (own.prompt_file === undefined) return reader.text(own.prompt ?? '');
  const name = reader.text(own.prompt_file);
  const file = parts.library.lookup('prompts', name, source.file);
  if (file === undefined)
    throw new StepFailure('USER.INPUT.MISSING_FILE', `There is no prompt file ${JSON.stringify(name)}.`);
  return reader.text(textOf(parts.library, file));
}

/** Order: role, skills, system prompt of the step. */
function systemOf({ own, source }: AgentStep, reader: Reader, { parts }: Frame): string | undefined {
  const words: string[] = [];
  const add = (shelf: 'roles' | 'skills', name: string, file: string): void => {
    const folder = parts.library.lookup(shelf, name, source.file);
    const code = shelf === 'roles' ? 'USER.INPUT.MISSING_ROLE' : 'USER.INPUT.MISSING_SKILL';
    if (folder === undefined || name.split(/[/\\]/).includes('..'))
      throw new StepFailure(
        code,
        `There is no ${shelf === 'roles' ? 'role' : 'skill'} ${JSON.stringify(name)}.`,
      );
    words.push(textOf(parts.library, join(folder, file)).trim());
  };
  if (own.role !== undefined) add('roles', own.role, 'AGENTS.md');
  for (const skill of own.skills ?? [])
    add('skills', typeof skill === 'string' ? skill : (skill.path ?? ''), 'SKILL.md');
  if (own.system_prompt !== undefined) words.push(reader.text(own.system_prompt));
  return words.length === 0 ? undefined : words.join('\n\n');
}

function earlier({ own }: AgentStep, { states }: Frame): readonly unknown[] | undefined {
  const from = own.conversation?.continue_from;
  if (from === undefined) return undefined;
  const known = states.get(from)?.conversation;
  if (known !== undefined) return known;
  throw new StepFailure('EXECUTION.STEP.DEPENDENCY', `${from} has no conversation to continue.`);
}

interface Talk {
  readonly step: AgentStep;
  readonly frame: Frame;
  readonly place: Place;
  readonly reader: Reader;
  readonly session: Session;
  readonly system: string | undefined;
  readonly conversation: readonly unknown[] | undefined;
  readonly records: AgentRecords;
}

/** Gets one answer; in a conversation on a terminal, as many as the user wants. */
async function converse(agent: Agent, prompt: string, talk: Talk): Promise<AgentAnswer> {
  const { parts } = talk.frame;
  const ask = talk.step.own.mode === 'conversation' ? parts.ask : undefined;
  let answer = await askAgent(agent, prompt, talk.conversation, talk);
  let hint = '(enter an empty line to end the conversation)\n';
  while (ask !== undefined && !talk.place.signal.aborted) {
    const said = await ask(`${answer.text}\n${hint}> `);
    hint = '';
    if (said.trim() === '') break;
    const next = await askAgent(agent, said, answer.conversation, talk);
    answer = {
      ...next,
      usage: summed(answer.usage, next.usage),
      turns: answer.turns + next.turns,
      toolCalls: answer.toolCalls + next.toolCalls,
    };
  }
  return answer;
}

function summed(a: Usage, b: Usage): Usage {
  const cost = a.cost === undefined && b.cost === undefined ? undefined : (a.cost ?? 0) + (b.cost ?? 0);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    isEstimated: a.isEstimated || b.isEstimated,
    ...(cost !== undefined && { cost }),
  };
}

async function askAgent(
  agent: Agent,
  prompt: string,
  conversation: readonly unknown[] | undefined,
  talk: Talk,
): Promise<AgentAnswer> {
  const { step, frame, place, reader, session, system, records } = talk;
  const { parts } = frame;
  const options = reader.data(step.own.options ?? {});
  const order: AgentOrder = {
    gateway: parts.gateway,
    session,
    prompt,
    ...(system !== undefined && { system }),
    options: typeof options === 'object' && options !== null ? (options as AgentOrder['options']) : {},
    ...(conversation && { conversation }),
    isIsolated: isIsolated(step.own.mcp_proxy, step.own.tidegate),
    ...(step.own.tidegate?.allow_native === true && { allowsNative: true }),
    env: parts.env,
    signal: place.signal,
    newRequestId: parts.newRequestId,
    ...(place.trace && { trace: place.trace }),
    version: parts.version,
    onEvent: (event) => records.take(event),
  };
  records.begin(startOf(step, order, reader));
  try {
    return await agent(order);
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    if (error.code === 'EXECUTION.WORKFLOW.CANCELLED') throw new Cancelled(error.message);
    throw new StepFailure(error.code, error.message, toolsIn(records), error.next);
  }
}

/** Provider and model, for the transcript. */
function startOf(
  { own }: AgentStep,
  { options, isIsolated: isAlone, system }: AgentOrder,
  reader: Reader,
): Readonly<Record<string, unknown>> {
  const { model } = options;
  const provider = providerNamed(reader.text(own.provider ?? ''));
  const hasNatives = provider !== 'openai_compatible' && isAlone === false;
  return {
    provider,
    ...(typeof model === 'string' && { model }),
    isolation: hasNatives ? 'additive' : 'full',
    ...(system !== undefined && { system }),
  };
}

function doneOf(
  { own }: AgentStep,
  { text, usage, turns, toolCalls, conversation }: AgentAnswer,
  records: AgentRecords,
): Done {
  const called = toolsIn(records);
  const response = { turns, tool_calls: toolCalls, refused_calls: called.refused?.length ?? 0 };
  const done: Done = { usage, conversation, response, ...called };
  return { ...done, ...readOutput(text, own.output_format, done) };
}

function toolsIn(records: AgentRecords): Pick<Done, 'tools' | 'refused'> {
  const refused = records.refused();
  return { tools: records.tools(), ...(refused.length > 0 && { refused }) };
}
