import { setTimeout as sleep } from 'node:timers/promises';
import { asRecord } from '../../lib/is-record.js';
import { AgentFailure, type AgentEvent } from '../agent.js';
import { eventData, wholeBody } from './events.js';
import { post } from './post.js';
import { createAssembly, type Reply } from './reply.js';
import type { Settings } from './settings.js';
import { RequestError, errorInStream, errorForStatus } from './request-error.js';

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

/** Asks the model, with retries. Retrying is safe because only a complete answer counts. */
export async function askModel(question: Question): Promise<Reply> {
  const { settings, signal, onEvent } = question;
  let hasUsageOption = true;
  for (let attempt = 0; ; ) {
    try {
      return await askOnce(question, hasUsageOption);
    } catch (error) {
      const failure = error instanceof RequestError ? error : undefined;
      if (signal.aborted) throw new AgentFailure('EXECUTION.WORKFLOW.CANCELLED', 'The agent was stopped.');
      if (failure === undefined) throw error;
      if (hasUsageOption && failure.status === 400 && failure.message.includes('stream_options')) {
        hasUsageOption = false;
        continue;
      }
      if (!failure.isRetryable || attempt >= settings.maxRetries) throw failureOf(failure, settings, attempt);
      const grown = firstWaitMs * 2 ** attempt * (0.75 + Math.random() / 2);
      const waitMs = Math.min(failure.waitMs ?? grown, longestWaitMs);
      attempt += 1;
      onEvent({ kind: 'retry', reason: withoutKey(failure.message, settings), waitMs });
      await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

function failureOf({ code, message }: RequestError, settings: Settings, retries: number): AgentFailure {
  const tried = retries === 0 ? '' : ` (after ${String(retries + 1)} attempts)`;
  return new AgentFailure(code, `${withoutKey(message, settings)}${tried}`, nextAfter(code, settings));
}

function nextAfter(code: AgentFailure['code'], { url, keyEnv }: Settings): string | undefined {
  if (code === 'EXECUTION.AGENT.UNAUTHORIZED') return `set ${keyEnv} to a valid API key`;
  if (code !== 'EXECUTION.AGENT.UNAVAILABLE') return undefined;
  const address = `${url.origin}${url.pathname.replace(/\/chat\/completions$/, '')}`;
  return `make sure a model responds at ${address}, or correct options.base_url`;
}

/** Some servers repeat the API key in their error message. */
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
    const body = await wholeBody(posted.body).catch(() => '');
    throw errorForStatus(posted.status, body, posted.retryAfter, Date.now());
  }
  // A server may ignore the request for a stream.
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
      // The last piece of a broken connection, or invalid data: the stream ends here.
      if (chunk === undefined)
        throw new RequestError(
          'EXECUTION.AGENT.BAD_RESPONSE',
          'The response stream of the model is not valid.',
          {
            isRetryable: true,
          },
        );
      const { error } = asRecord(chunk);
      if (error !== undefined && error !== null) throw errorInStream(error);
      const text = assembly.take(chunk);
      if (text !== '') onEvent({ kind: 'text', text });
    }
  } catch (error) {
    // After the finish marker only the usage is missing.
    if (!(error instanceof RequestError) || !error.isRetryable || !assembly.isFinished()) throw error;
  }
  const isWhole = assembly.isFinished() || (isDone && !assembly.isEmpty());
  if (isWhole) return assembly.reply();
  throw new RequestError('EXECUTION.AGENT.UNAVAILABLE', 'The response stream of the model ended too early.', {
    isRetryable: true,
  });
}

function readWhole(text: string, { onEvent }: Question): Reply {
  const value = parsed(text);
  const { error, choices } = asRecord(value);
  if (error !== undefined && error !== null) throw errorInStream(error);
  if (!Array.isArray(choices) || choices.length === 0) {
    throw new RequestError('EXECUTION.AGENT.BAD_RESPONSE', 'The response of the model is not valid.', {
      isRetryable: true,
    });
  }
  const assembly = createAssembly();
  const added = assembly.take(value);
  if (added !== '') onEvent({ kind: 'text', text: added });
  return assembly.reply();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
