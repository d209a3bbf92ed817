import type { IncomingMessage } from 'node:http';
import { isRecord } from '../../lib/is-record.js';
import { duplicateKey } from '../../lib/json-scan.js';
import { excessIn } from '../../lib/json-rpc.js';
import type { TakeRoom } from '../http/body-room.js';
import { readBody } from '../http/read-body.js';
import { failure, type Reply } from './replies.js';
import { type Route, takesBody } from './routes.js';

const maxBodyBytes = 4 * 1024 * 1024;

/** An ignored parameter could have limited the request, such as `dryRun`, so refuse unknown ones. */
export function queryProblem(route: Route, request: IncomingMessage): Reply | undefined {
  const names = queryOf(request).map(([name]) => name);
  const twin = names.find((name, at) => names.indexOf(name) !== at);
  if (twin !== undefined) return failure(400, 'input.invalid', `Duplicate query parameter ${quoted(twin)}.`);
  const known = (route.query ?? []).map((name) => name.replace('!', ''));
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined) {
    const others =
      known.length === 0 ? 'This address takes no query parameters.' : `Available: ${known.join(', ')}.`;
    const hint = takesBody(route) ? ' Send the fields of the request in the body.' : '';
    return failure(400, 'access.bad_request', `Unknown query parameter ${quoted(strange)}. ${others}${hint}`);
  }
  return route.method === 'GET' && hasContent(request) ? noBody : undefined;
}

export const noBody = failure(400, 'input.invalid', 'This address takes no body.');

function hasContent({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export function queryOf({ url = '' }: IncomingMessage): readonly (readonly [name: string, value: string])[] {
  const at = url.indexOf('?');
  return [...new URLSearchParams(at === -1 ? '' : url.slice(at + 1))];
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}

type ReadObject = { readonly text: string } | { readonly refused: Reply };

export async function readObject(request: IncomingMessage, takeRoom: TakeRoom): Promise<ReadObject> {
  const body = await readBody(request, maxBodyBytes, takeRoom);
  if (!body.ok && body.reason === 'busy') return { refused: busy };
  return body.ok ? parseObject(body.text) : invalid(notAnObject);
}

const busy = failure(
  503,
  'call.too_many',
  'Too many of your requests are still in progress. Try again later.',
);

function invalid(problem: string): ReadObject {
  return { refused: failure(400, 'input.invalid', problem) };
}

const notAnObject = 'The body must be a JSON object.';

function parseObject(text: string): ReadObject {
  if (text.trim() === '') return { text: '{}' };
  const excess = excessIn(text);
  if (excess !== undefined) return invalid(`The body ${excess}. Send a smaller one.`);
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return invalid(notAnObject);
  } catch {
    return invalid(notAnObject);
  }
  const twin = duplicateKey(text);
  return twin === undefined ? { text } : invalid(`Duplicate key ${quoted(twin)}.`);
}
