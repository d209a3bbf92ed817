import { setTimeout as sleep } from 'node:timers/promises';
import { AgentFailure, type AgentEvent } from '../agent.js';
import { eventData, wholeBody } from './events.js';
import { post } from './post.js';
import { createAssembly, recordOf, type Reply } from './reply.js';
import type { Settings } from './settings.js';
import { Trouble, troubleInStream, troubleOf } from './trouble.js';

export interface Question {
  readonly settings: Settings;
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[];
  readonly version: string;
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgentEvent) => void;
}

const firstWaitMs = 500;
const longestWaitMs = 60_000;

/** Asks the model once, and again while that can help. Nothing was done in between: an answer counts when it is whole. */
export async function askModel(question: Question): Promise<Reply> {
  const { settings, signal, onEvent } = question;
  let hasUsageOption = true;
  for (let attempt = 0; ; ) {
    try {
      return await askOnce(question, hasUsageOption);
    } catch (error) {
      const trouble = error instanceof Trouble ? error : undefined;
      if (signal.aborted) throw new AgentFailure('EXECUTION.WORKFLOW.CANCELLED', 'The agent was stopped.');
      if (trouble === undefined) throw error;
      if (hasUsageOption && trouble.status === 400 && trouble.message.includes('stream_options')) {
        hasUsageOption = false;
        continue;
      }
      if (!trouble.isRetryable || attempt >= settings.maxRetries) throw failureOf(trouble, settings, attempt);
      const grown = firstWaitMs * 2 ** attempt * (0.75 + Math.random() / 2);
      const waitMs = Math.min(trouble.waitMs ?? grown, longestWaitMs);
      attempt += 1;
      onEvent({ kind: 'retry', reason: withoutKey(trouble.message, settings), waitMs });
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

function failureOf({ code, message }: Trouble, settings: Settings, retries: number): AgentFailure {
  const tried = retries === 0 ? '' : ` (asked ${String(retries + 1)} times)`;
  return new AgentFailure(code, `${withoutKey(message, settings)}${tried}`, nextAfter(code, settings));
}

function nextAfter(code: AgentFailure['code'], { url, keyEnv }: Settings): string | undefined {
  if (code === 'EXECUTION.AGENT.UNAUTHORIZED') return `set ${keyEnv} to a key that the model takes`;
  if (code !== 'EXECUTION.AGENT.UNAVAILABLE') return undefined;
  const address = `${url.origin}${url.pathname.replace(/\/chat\/completions$/, '')}`;
  return `see that a model answers at ${address}, or correct options.base_url`;
}

/** Some servers repeat the key in their refusal. */
function withoutKey(message: string, { key }: Settings): string {
  return key === undefined || key.length < 4 ? message : message.replaceAll(key, '[redacted]');
}

async function askOnce(question: Question, hasUsageOption: boolean): Promise<Reply> {
  const { settings, version, signal } = question;
  const posted = await post({
    url: settings.url,
    headers: {
      'content-type': 'application/json',
      accept: settings.isStreaming ? 'text/event-stream, application/json' : 'application/json',
      'user-agent': `tidegate/${version}`,
      ...(settings.key !== undefined && { authorization: `Bearer ${settings.key}` }),
    },
    body: bodyOf(question, hasUsageOption),
    idleMs: settings.idleMs,
    signal,
  });
  if (posted.status !== 200) {
    const said = await wholeBody(posted.body).catch(() => '');
    throw troubleOf(posted.status, said, posted.retryAfter, Date.now());
  }
  // Also servers that were asked for a stream may answer whole.
  const isStream = posted.type.includes('text/event-stream');
  try {
    return isStream
      ? await readStream(posted.body, question)
      : readWhole(await wholeBody(posted.body), question);
  } finally {
    posted.leave();
  }
}

function bodyOf({ settings, messages, tools }: Question, hasUsageOption: boolean): string {
  const { model, body, isStreaming } = settings;
  return JSON.stringify({
    model,
    messages,
    ...(tools.length > 0 && { tools, tool_choice: 'auto' }),
    ...body,
    ...(isStreaming && { stream: true }),
    ...(isStreaming && hasUsageOption && { stream_options: { include_usage: true } }),
  });
}

async function readStream(body: AsyncIterable<Uint8Array>, { onEvent }: Question): Promise<Reply> {
  const assembly = createAssembly();
  let isDone = false;
  try {
    for await (const data of eventData(body)) {
      if (data.trim() === '[DONE]') {
        isDone = true;
        break;
      }
      const chunk = parsed(data);
      // The last piece of a broken connection, or garbage: either way the end.
      if (chunk === undefined)
        throw new Trouble('EXECUTION.AGENT.BAD_RESPONSE', 'The stream of the model cannot be read.', {
          isRetryable: true,
        });
      const { error } = recordOf(chunk);
      if (error !== undefined && error !== null) throw troubleInStream(error);
      const text = assembly.take(chunk);
      if (text !== '') onEvent({ kind: 'text', text });
    }
  } catch (error) {
    // What comes after the model's last word is only its usage.
    if (!(error instanceof Trouble) || !error.isRetryable || !assembly.isFinished()) throw error;
  }
  const isWhole = assembly.isFinished() || (isDone && !assembly.isEmpty());
  if (isWhole) return assembly.reply();
  throw new Trouble('EXECUTION.AGENT.UNAVAILABLE', 'The stream of the model ended before its answer did.', {
    isRetryable: true,
  });
}

function readWhole(text: string, { onEvent }: Question): Reply {
  const value = parsed(text);
  const { error, choices } = recordOf(value);
  if (error !== undefined && error !== null) throw troubleInStream(error);
  if (!Array.isArray(choices) || choices.length === 0) {
    throw new Trouble('EXECUTION.AGENT.BAD_RESPONSE', 'The answer of the model cannot be read.', {
      isRetryable: true,
    });
  }
  const assembly = createAssembly();
  const said = assembly.take(value);
  if (said !== '') onEvent({ kind: 'text', text: said });
  return assembly.reply();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
