import type { AgentFailureCode } from '../agent.js';

/** Why a request failed, and whether a retry may help. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: AgentFailureCode;
  readonly isRetryable: boolean;
  /** Delay requested by the server. */
  readonly waitMs: number | undefined;
  readonly status: number | undefined;

  constructor(
    code: AgentFailureCode,
    message: string,
    more: {
      readonly isRetryable?: boolean;
      readonly waitMs?: number | undefined;
      readonly status?: number;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.isRetryable = more.isRetryable === true;
    this.waitMs = more.waitMs;
    this.status = more.status;
  }
}

const retryable = [408, 409, 425, 429, 500, 502, 503, 504, 529];
/** How endpoints report that a conversation is too long. */
export const contextLimitPattern =
  /context_length_exceeded|context[ _-](?:length|window|limit|size)|maximum context|too many tokens|prompt is too long|input is too long/i;

/** Maps a status other than 200 to a failure. */
export function errorForStatus(
  status: number,
  body: string,
  retryAfter: string | undefined,
  now: number,
): RequestError {
  const detail = errorText(body);
  const message = `The model returned status ${String(status)}${detail === '' ? '' : `: ${detail}`}`;
  if (status === 401 || status === 403)
    return new RequestError('EXECUTION.AGENT.UNAUTHORIZED', message, { status });
  if ((status === 400 || status === 413 || status === 422) && contextLimitPattern.test(body)) {
    return new RequestError('EXECUTION.AGENT.CONTEXT_LIMIT', message, { status });
  }
  const isRetryable = retryable.includes(status);
  const code = isRetryable ? 'EXECUTION.AGENT.UNAVAILABLE' : 'EXECUTION.AGENT.FAILED';
  return new RequestError(code, message, { status, isRetryable, waitMs: waitOf(retryAfter, now) });
}

/** An error in the middle of a stream. */
export function errorInStream(error: unknown): RequestError {
  const text = JSON.stringify(error ?? null);
  const message = `The response stream of the model failed: ${errorText(JSON.stringify({ error }))}`;
  if (contextLimitPattern.test(text)) return new RequestError('EXECUTION.AGENT.CONTEXT_LIMIT', message);
  return new RequestError('EXECUTION.AGENT.UNAVAILABLE', message, { isRetryable: true });
}

/** Seconds or a date. */
function waitOf(retryAfter: string | undefined, now: number): number | undefined {
  if (retryAfter === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(retryAfter.trim())) return Number(retryAfter) * 1000;
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

const longest = 500;

function errorText(body: string): string {
  let detail = body;
  try {
    const { error } = JSON.parse(body) as { readonly error?: unknown };
    if (typeof error === 'string') detail = error;
    else if (typeof error === 'object' && error !== null && 'message' in error)
      detail = String(error.message);
  } catch {
    // Not JSON, most likely a proxy's error page: its beginning is enough.
  }
  return detail.trim().slice(0, longest);
}
