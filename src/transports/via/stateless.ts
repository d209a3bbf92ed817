import { membersOf, textOf } from '../../lib/json-text.js';
import { readFrame, requestText } from '../../lib/json-rpc.js';
import type { Protocol, RequestFrame } from './carrier.js';
import type { GateClient, Reply } from './gate-client.js';
import { createMirrorHeaders } from './mirror-headers.js';
import { resultOf } from './result-of.js';

export interface ModernParts {
  readonly client: GateClient;
  readonly signal: AbortSignal;
}

const maxPages = 1000;

/** Stateless clients have no session: headers mirror each request, and closing its stream cancels it. */
export function createModernProtocol({ client, signal }: ModernParts): Protocol {
  const mirror = createMirrorHeaders();

  /** List the tools with the metadata of the refused call, to learn which headers they need. */
  async function learnAll(frame: RequestFrame): Promise<void> {
    const meta = frame.params && textOf(frame.params.text, membersOf(frame.params.text), '_meta');
    let cursor: string | undefined;
    for (let page = 0; page < maxPages && meta !== undefined; page += 1) {
      const tail = cursor === undefined ? '' : `,"cursor":${JSON.stringify(cursor)}`;
      const text = requestText('"tidegate-bridge"', 'tools/list', `{"_meta":${meta}${tail}}`);
      const asked = readFrame(text);
      if (asked.kind !== 'request') return;
      const result = await resultOf(client, {
        method: 'POST',
        headers: mirror.of(asked),
        body: text,
        signal,
      });
      if (result === undefined) return;
      mirror.learn(result);
      cursor = cursorOf(result.value);
      if (cursor === undefined) return;
    }
  }

  return {
    begun: () => undefined,
    headersOf: (frame) => Promise.resolve(mirror.of(frame)),
    answered: () => undefined,
    finished: () => undefined,
    learned(frame, result) {
      if (frame.method === 'tools/list') mirror.learn(result);
    },
    async prepareRetry(frame, reply) {
      if (frame.method !== 'tools/call' || !isHeaderMismatch(reply)) return false;
      // The call was refused before it began, so it is safe to send it again with the missing headers.
      await learnAll(frame);
      return true;
    },
    cancel(_text, _wasSent, abort) {
      abort();
    },
  };
}

function isHeaderMismatch({ status, body }: Reply): boolean {
  if (status !== 400) return false;
  const frame = readFrame(body);
  const error = frame.kind === 'error' ? frame.error.value : undefined;
  return typeof error === 'object' && error !== null && 'code' in error && error.code === -32020;
}

function cursorOf(result: unknown): string | undefined {
  const isPaged = typeof result === 'object' && result !== null && 'nextCursor' in result;
  return isPaged && typeof result.nextCursor === 'string' ? result.nextCursor : undefined;
}
