import { createSseReader } from '../../lib/event-stream.js';
import { RequestError } from './request-error.js';

const longest = 10 * 1024 * 1024;

/** Data of server-sent events. Chunks may be split anywhere, even within a character. */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  // The size of the whole body is the limit, so that of an event needs none.
  const reader = createSseReader(Number.POSITIVE_INFINITY, { isLenient: true });
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > longest)
      throw new RequestError('EXECUTION.AGENT.BAD_RESPONSE', 'The response exceeds 10 MiB.');
    for (const { data } of reader.push(part)) yield data;
  }
  // Accept a last event without an empty line; the caller checks whether it is complete.
  for (const { data } of reader.push(new TextEncoder().encode('\n\n'))) yield data;
}

export async function wholeBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > longest)
      throw new RequestError('EXECUTION.AGENT.BAD_RESPONSE', 'The response exceeds 10 MiB.');
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
