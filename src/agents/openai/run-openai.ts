import { mapAtOnce } from '../../lib/map-at-once.js';
import { isRecord } from '../../lib/is-record.js';
import { type Client, createQuietExchange } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import { type AgentAnswer, AgentFailure, type AgentOrder, type Usage } from '../agent.js';
import { askModel } from './ask-model.js';
import { createLoopGuard } from './loop-guard.js';
import type { ModelCall, Reply } from './reply.js';
import { answerOf, type ToolAnswer } from '../result-text.js';
import { readSettings, type Settings } from './settings.js';
import { type ShownTools, showTools } from './tool-names.js';

const mostAtOnce = 16;

/**
 * Runs a model at a Chat Completions endpoint until it makes no more tool calls. The tools of the session are listed
 * again before each turn, and every call goes through the gateway.
 */
export async function runOpenai(order: AgentOrder): Promise<AgentAnswer> {
  const { gateway, session, signal, onEvent, version } = order;
  const settings = readSettings(order);
  const guard = createLoopGuard(settings.maxTurns);
  // Server instructions are known only after the servers have started.
  await gateway.registry.settle(session);
  const messages = openingMessages(order, gateway.registry.instructions(session, clientOf(version)));
  const spent: Spent = { input: 0, output: 0, isEstimated: false, cost: undefined };
  let toolCalls = 0;
  onEvent({ kind: 'message', role: 'user', text: order.prompt });
  for (let turns = 1; ; turns += 1) {
    await gateway.registry.settle(session);
    const shown = showTools(gateway.registry.list(session, 'tools', clientOf(version)));
    const reply = await askModel({ settings, messages, tools: shown.tools, version, signal, onEvent });
    spend(spent, reply, settings, messages);
    onEvent({ kind: 'usage', usage: usageOf(spent) });
    onEvent({ kind: 'message', role: 'assistant', text: reply.text });
    guard.check(reply);
    messages.push(assistantMessage(reply));
    if (reply.calls.length === 0) {
      tellOfEnd(reply, order);
      return { text: reply.text, usage: usageOf(spent), turns, toolCalls, conversation: messages };
    }
    toolCalls += reply.calls.length;
    const answers = await mapAtOnce(reply.calls, mostAtOnce, (call) => makeCall(call, shown, order));
    if (signal.aborted) throw new AgentFailure('EXECUTION.WORKFLOW.CANCELLED', 'The agent was stopped.');
    guard.note(
      reply.calls,
      answers.map(({ text }) => text),
    );
    // Exactly one message per call, even if it failed or was denied.
    reply.calls.forEach(({ id }, at) => {
      messages.push({ role: 'tool', tool_call_id: id, content: answers[at]?.text ?? '' });
    });
  }
}

/** The system prompt comes once, at the start, together with the gateway's instructions. */
function openingMessages(
  { conversation = [], system, options, prompt }: AgentOrder,
  guidance: string | undefined,
): unknown[] {
  const own = typeof options['system_prompt'] === 'string' ? options['system_prompt'] : undefined;
  const words = [system, own, guidance].filter((text) => text !== undefined && text !== '').join('\n\n');
  const opening = conversation.length > 0 || words === '' ? [] : [{ role: 'system', content: words }];
  return [...conversation, ...opening, { role: 'user', content: prompt }];
}

/** Rebuilds the message, because a stream does not contain it as a whole. */
function assistantMessage({ text, calls }: Reply): unknown {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, argumentsText }) => ({
        id,
        type: 'function',
        function: { name, arguments: argumentsText },
      })),
    }),
  };
}

function tellOfEnd({ finish, text }: Reply, { onEvent }: AgentOrder): void {
  if (finish === 'length')
    onEvent({ kind: 'note', text: 'The answer is incomplete: it reached the token limit of the model.' });
  if (finish === 'content_filter' && text === '') {
    throw new AgentFailure('EXECUTION.AGENT.FAILED', 'The content filter of the model blocked the answer.');
  }
}

async function makeCall(call: ModelCall, shown: ShownTools, order: AgentOrder): Promise<ToolAnswer> {
  const { onEvent } = order;
  const { id } = call;
  const name = shown.ourName(call.name);
  const given = call.argumentsText.trim() === '' ? '{}' : call.argumentsText;
  const input = readObject(given);
  onEvent({ kind: 'call', id, name, input: input ?? given });
  const started = performance.now();
  // Never call a tool with arguments the model did not mean.
  const answer = input === undefined ? notAnObject(given) : await callGateway(name, given, order);
  onEvent({ kind: 'result', id, name, ...answer, ms: performance.now() - started });
  return answer;
}

function readObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function notAnObject(text: string): ToolAnswer {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return { isError: true, text: `Error input.invalid: the arguments are not a JSON object: ${shown}` };
}

async function callGateway(name: string, argumentsText: string, order: AgentOrder): Promise<ToolAnswer> {
  const { gateway, session, signal, newRequestId, trace, version } = order;
  const outcome = await gateway.call(
    {
      id: newRequestId(),
      session,
      client: clientOf(version),
      wanted: { kind: 'tool', name },
      params: new JsonText(`{"name":${JSON.stringify(name)},"arguments":${argumentsText}}`),
      ...(trace && { trace }),
    },
    createQuietExchange(signal),
  );
  return answerOf(outcome);
}

/** This client name tells the gateway that the tool list is read before every turn. */
function clientOf(version: string): Client {
  return {
    protocol: 'legacy',
    protocolVersion: 'openai-chat',
    capabilities: JsonText.from({}),
    info: JsonText.from({ name: 'tidegate-openai', version }),
  };
}

interface Spent {
  input: number;
  output: number;
  isEstimated: boolean;
  cost: number | undefined;
}

const charactersPerToken = 4;
const million = 1_000_000;

function spend(
  spent: Spent,
  { usage, text, calls }: Reply,
  { price }: Settings,
  messages: readonly unknown[],
): void {
  const length = text.length + calls.reduce((sum, { argumentsText }) => sum + argumentsText.length, 0);
  const input = usage?.input ?? Math.ceil(JSON.stringify(messages).length / charactersPerToken);
  const output = usage?.output ?? Math.ceil(length / charactersPerToken);
  spent.input += input;
  spent.output += output;
  spent.isEstimated ||= usage === undefined;
  const cost = usage?.cost ?? (price && (input * price.input + output * price.output) / million);
  if (cost !== undefined) spent.cost = (spent.cost ?? 0) + cost;
}

function usageOf({ cost, ...rest }: Spent): Usage {
  return { ...rest, ...(cost !== undefined && { cost }) };
}
