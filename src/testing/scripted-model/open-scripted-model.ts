import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelFormat } from './format.js';
import { openaiChat } from './openai-chat.js';
import type { ModelRequest, ScriptedDelivery, ScriptedFault, ScriptedTurn } from './turn.js';

/** Turns in their order, one for each request; or a function, for several conversations at once. */
export type ModelScript =
  | readonly ScriptedTurn[]
  | ((request: ModelRequest, at: number) => ScriptedTurn | Promise<ScriptedTurn>);

/** A model that says what a test wrote down. It listens on the loopback interface only. */
export interface ScriptedModel {
  /** For `base_url`: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** Everything that it was asked, in its order. */
  readonly requests: readonly ModelRequest[];
  /** Whether every turn of a list was asked for. */
  isOver(): boolean;
  close(): Promise<void>;
}

/** Other formats have their own file; the script stays the same. */
const formats: readonly ModelFormat[] = [openaiChat];
const maxBody = 64 * 1024 * 1024;

/** Opens a model that answers by a script. A request beyond the script gets status 500, which says so. */
export async function openScriptedModel(script: ModelScript): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  let next = 0;

  async function turnFor(request: ModelRequest): Promise<ScriptedTurn> {
    const at = next;
    next += 1;
    if (typeof script === 'function') return script(request, at);
    return (
      script[at] ?? { fails: { status: 500, message: `the script has only ${String(script.length)} turns` } }
    );
  }

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const format = formats.find(({ isAt }) => isAt((incoming.url ?? '').replace(/\?.*$/s, '')));
    const body = parsed(await readBody(incoming));
    if (format === undefined || incoming.method !== 'POST' || body === undefined) {
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":{"message":"no such endpoint"}}');
      return;
    }
    const { headers } = incoming;
    const read = format.read(body);
    const request = { ...read, format: format.name, body, headers: headers as ModelRequest['headers'] };
    requests.push(request);
    const turn = await turnFor(request);
    if ('fails' in turn) return fail(turn.fails, format, response);
    const isStream = request.isStreaming && turn.isWhole !== true;
    const texts = isStream ? format.events(turn, request) : [format.whole(turn, request)];
    await deliver(texts, turn, isStream ? 'text/event-stream' : 'application/json', response);
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    requests,
    isOver: () => typeof script !== 'function' && next >= script.length,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function fail(
  { status = 500, headers = {}, body, hangs, ...rest }: ScriptedFault,
  format: ModelFormat,
  response: ServerResponse,
): void {
  if (hangs === true) return;
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(body ?? format.fault(rest));
}

async function deliver(
  texts: readonly string[],
  { chunkBytes, cutAfter, delayMs = 0 }: ScriptedDelivery,
  type: string,
  response: ServerResponse,
): Promise<void> {
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  const whole = Buffer.from(texts.join(''));
  const limit = cutAfter ?? whole.length;
  const pieces =
    chunkBytes === undefined ? texts.map((text) => Buffer.from(text)) : sliced(whole, chunkBytes);
  response.writeHead(200, { 'content-type': type });
  let sent = 0;
  for (const piece of pieces) {
    const part = piece.subarray(0, limit - sent);
    sent += part.length;
    if (part.length > 0) await written(response, part);
    if (sent >= limit) break;
  }
  // A broken connection has no last chunk.
  if (cutAfter !== undefined) response.destroy();
  else response.end();
}

/** Each piece is a write of its own, with time for it to leave as such. */
function written(response: ServerResponse, part: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(part, () => setImmediate(resolve));
  });
}

function sliced(whole: Buffer, size: number): readonly Buffer[] {
  return Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
    whole.subarray(at * size, (at + 1) * size),
  );
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of incoming) {
    size += (part as Buffer).length;
    if (size > maxBody) throw new Error('the request is too large');
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
