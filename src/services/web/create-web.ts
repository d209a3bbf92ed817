import { ToolFailure } from '../../core/index.js';
import type { Web, WebAnswer, WebRequest } from '../../ports/web.js';
import { createGuard, type Reach } from './guard.js';
import { headersFor } from './headers.js';
import { readTarget, redirectOf } from './target.js';
import { sendOnce } from './send-once.js';

export interface WebParts {
  /** Where an address can be reached from. */
  readonly reachOf: (address: string) => Reach;
}

/** The same limits as AWF: ten redirects, and 1 MiB of a body. */
const mostRedirects = 10;
const mostBytes = 1024 * 1024;

export function createWeb({ reachOf }: WebParts): Web {
  return {
    async send(request, signal) {
      const time = AbortSignal.timeout(request.timeoutMs);
      const first = readTarget(request.url);
      try {
        return await follow(first, request, AbortSignal.any([time, signal]), reachOf);
      } catch (error) {
        throw signal.aborted ? error : failureOf(error, first, request, time.aborted);
      }
    },
  };
}

async function follow(
  first: URL,
  { method, headers, body, isHostFixed }: WebRequest,
  signal: AbortSignal,
  reachOf: WebParts['reachOf'],
): Promise<WebAnswer> {
  const guard = createGuard(first, isHostFixed, reachOf);
  const given = headersFor(headers);
  let now = { target: first, method, body };
  for (let count = 0; ; count += 1) {
    guard.check(now.target);
    const answer = await sendOnce({ ...now, headers: given, lookup: guard.lookup, signal, mostBytes });
    const next = redirectOf(answer, now);
    if (next === undefined) return answer;
    if (count === mostRedirects)
      throw refused(`${first.origin} answered with more than ${String(mostRedirects)} redirects.`);
    now = next;
  }
}

function refused(message: string): ToolFailure {
  return new ToolFailure('external', message, { reason: 'redirect' });
}

function failureOf(error: unknown, { origin }: URL, { timeoutMs }: WebRequest, isLate: boolean): unknown {
  if (error instanceof ToolFailure) return error;
  if (isLate) {
    const message = `${origin} did not answer completely within ${String(timeoutMs / 1000)} s.`;
    return new ToolFailure('timeout', message, { retryable: true });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'the connection was lost';
  const message = `The request to ${origin} failed: ${code}.`;
  return new ToolFailure('external', message, { retryable: true });
}
