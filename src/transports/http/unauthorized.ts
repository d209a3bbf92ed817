import type { ServerResponse } from 'node:http';
import { answerJson } from './answer-json.js';
import { httpAnswer } from './http-codes.js';

const unauthorized = httpAnswer(
  'auth.required',
  'Send Authorization: Bearer <token> with a token of this gate that is still good. Whoever runs the gate makes one.',
  'tidegate token create --as agent:<name>',
);
const unavailable = httpAnswer(
  'access.unavailable',
  'The gate cannot find out who you are right now: try again.',
);

/** The same for everyone who is not let in, whatever the reason: which tokens there are is nobody's business. */
export function answerUnauthorized(response: ServerResponse): void {
  const { status, body } = unauthorized;
  answerJson(response, status, body, { 'www-authenticate': 'Bearer realm="tidegate"' });
}

const retrySeconds = 2;

/** Whoever it is, nobody can tell now. */
export function answerUnavailable(response: ServerResponse): void {
  const { status, body } = unavailable;
  answerJson(response, status, body, { 'retry-after': String(retrySeconds) });
}
