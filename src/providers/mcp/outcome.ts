import {
  content,
  createFault,
  faulted,
  JsonText,
  membersOf,
  type Outcome,
  textOf,
} from '../../kernel/index.js';
import type { Reply } from './in-flight.js';
import { isRecord } from './peer.js';

/** An answer in the words of the gate. The result stays the text that the server sent. */
export function outcomeOf(reply: Exclude<Reply, { kind: 'stale' }>): Outcome {
  if (reply.kind === 'result') return content(reply.result);
  return faulted(reply.kind === 'fault' ? reply.fault : upstreamFault(reply.error));
}

/** The same for the modern era, where a result may be a question. */
export function modernOutcomeOf(reply: Exclude<Reply, { kind: 'stale' }>): Outcome {
  if (reply.kind !== 'result' || !isRecord(reply.result.value)) return outcomeOf(reply);
  const { value, text } = reply.result;
  if (value['resultType'] !== 'input_required') return content(reply.result);
  const members = membersOf(text);
  const questions = new JsonText(textOf(text, members, 'inputRequests') ?? '{}');
  const state = value['requestState'];
  return { kind: 'asks', questions, ...(typeof state === 'string' && { state }) };
}

function upstreamFault(error: JsonText): ReturnType<typeof createFault> {
  const message = isRecord(error.value) ? error.value['message'] : undefined;
  return createFault(
    'upstream.error',
    typeof message === 'string' ? message : 'The server answered with an error.',
    {
      upstream: error,
    },
  );
}

export function staleOutcome(server: string): Outcome {
  return faulted(createFault('provider.unavailable', `The server ${server} keeps losing its session.`));
}

export function duplicateMember(): Outcome {
  return faulted(createFault('input.invalid', 'A member of the params stands twice: send each once.'));
}

/** One sentence on why a request of our own came to nothing. */
export function describeReply(reply: Reply): string {
  if (reply.kind === 'fault') return reply.fault.detail ?? reply.fault.message;
  if (reply.kind === 'error') return `error ${reply.error.text.slice(0, 300)}`;
  return reply.kind === 'stale' ? 'the session is unknown to the server' : 'unexpected result';
}
