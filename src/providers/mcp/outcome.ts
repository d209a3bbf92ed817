import { content, createFault, faulted, type Outcome } from '../../core/index.js';
import { JsonText, membersOf, textOf } from '../../lib/json-text.js';
import type { Reply } from './in-flight.js';
import { isRecord } from './peer.js';
import { shortError, shortFailure } from './short-errors.js';

/** Converts a reply to an outcome. The result stays the text that the server sent. */
export function outcomeOf(reply: Exclude<Reply, { kind: 'stale' }>): Outcome {
  if (reply.kind === 'result') return content(shortFailure(reply.result));
  return faulted(reply.kind === 'fault' ? reply.fault : upstreamFault(reply.error));
}

/** Like `outcomeOf`, for protocol version 2026-07-28, where a result may be a question. */
export function modernOutcomeOf(reply: Exclude<Reply, { kind: 'stale' }>): Outcome {
  if (reply.kind !== 'result' || !isRecord(reply.result.value)) return outcomeOf(reply);
  const { value, text } = reply.result;
  if (value['resultType'] !== 'input_required') return content(shortFailure(reply.result));
  const members = membersOf(text);
  const questions = new JsonText(textOf(text, members, 'inputRequests') ?? '{}');
  const state = value['requestState'];
  return { kind: 'asks', questions, ...(typeof state === 'string' && { state }) };
}

function upstreamFault(whole: JsonText): ReturnType<typeof createFault> {
  const error = shortError(whole);
  const message = isRecord(error.value) ? error.value['message'] : undefined;
  return createFault(
    'upstream.error',
    typeof message === 'string' ? message : 'The server returned an error.',
    {
      upstream: error,
    },
  );
}

export function staleOutcome(server: string): Outcome {
  return faulted(createFault('provider.unavailable', `The server ${server} keeps losing its session.`));
}

export function duplicateMember(): Outcome {
  return faulted(createFault('input.invalid', 'The params contain a duplicate key. Send each key once.'));
}

/** Describes why one of our own requests failed. */
export function describeReply(reply: Reply): string {
  if (reply.kind === 'fault') return reply.fault.detail ?? reply.fault.message;
  if (reply.kind === 'error') return `error ${reply.error.text.slice(0, 300)}`;
  return reply.kind === 'stale' ? 'the session is unknown to the server' : 'unexpected result';
}
