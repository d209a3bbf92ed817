import type { ServerResponse } from 'node:http';
import { answerJson } from './answer-json.js';
import type { HttpCode } from './http-codes.js';

const unauthorizedText = JSON.stringify({
  error: {
    code: 'auth.required' satisfies HttpCode,
    message:
      'Send Authorization: Bearer <token> with a token of this gate that is still good. Whoever runs the gate makes one.',
    next: 'tidegate token create --as agent:<name>',
  },
});
const unavailableText =
  '{"error":{"code":"access.unavailable","message":"The gate cannot find out who you are right now: try again."}}';

/** The same for everyone who is not let in, whatever the reason: which tokens there are is nobody's business. */
export function answerUnauthorized(response: ServerResponse): void {
  answerJson(response, 401, unauthorizedText, { 'www-authenticate': 'Bearer realm="tidegate"' });
}

const retrySeconds = 2;

/** Whoever it is, nobody can tell now. */
export function answerUnavailable(response: ServerResponse): void {
  answerJson(response, 503, unavailableText, { 'retry-after': String(retrySeconds) });
}
