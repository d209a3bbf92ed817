import type { ServerResponse } from 'node:http';
import { protocolError } from '../faults.js';
import { answerJson } from './answer-json.js';

/** The same response for a session that never existed, has ended, or belongs to another credential. */
export function answerNoSession(response: ServerResponse): void {
  answerJson(response, 404, protocolError(undefined, -32001, 'Session not found'));
}
