import type { ServerResponse } from 'node:http';
import { answerJson } from './answer-json.js';
import { httpAnswer } from './http-codes.js';

const unauthorized = httpAnswer(
  'auth.required',
  'Send Authorization: Bearer <token> with a valid token for this gateway. The operator of the gateway can create one.',
  'tidegate token create --as agent:<name>',
);
const unavailable = httpAnswer(
  'access.unavailable',
  'The gateway cannot identify callers right now. Try again.',
);

/** The same response for every reason, so that it reveals nothing about existing tokens. */
export function answerUnauthorized(response: ServerResponse): void {
  const { status, body } = unauthorized;
  answerJson(response, status, body, { 'www-authenticate': 'Bearer realm="tidegate"' });
}

const retrySeconds = 2;

/** The store is unavailable, so no caller can be identified. */
export function answerUnavailable(response: ServerResponse): void {
  const { status, body } = unavailable;
  answerJson(response, status, body, { 'retry-after': String(retrySeconds) });
}
