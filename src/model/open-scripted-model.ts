import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicMessages } from './anthropic-messages.js';
import { deliver, fail } from './deliver.js';
import type { ModelFormat } from './format.js';
import { gemini } from './gemini.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';
import { readBody } from './read-body.js';
import { speak } from './speak.js';
import type { ModelRequest, ScriptedTurn } from './turn.js';

/** Turns in order, one per request; or a function, for several conversations at once. */
export type ModelScript =
  | readonly ScriptedTurn[]
  | ((request: ModelRequest, at: number) => ScriptedTurn | Promise<ScriptedTurn>);

/** A model that follows a script. It listens on the loopback interface only. */
export interface ScriptedModel {
  /** For `base_url`: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** The same without `/v1`, for clients that add it: those of Anthropic and Google. */
  readonly origin: string;
  /** All requests, in order. */
  readonly requests: readonly ModelRequest[];
  /** Hosts that clients tried to reach through it as their proxy (`HTTPS_PROXY`). Every attempt is refused. */
  readonly tunnels: readonly string[];
  /** Whether all turns of the list were requested. */
  isOver(): boolean;
  close(): Promise<void>;
}

/** Each format has its own file. */
const formats: readonly ModelFormat[] = [openaiChat, openaiResponses, anthropicMessages, gemini];

/** Opens a model that follows a script. A request beyond the script gets status 500. */
export async function openScriptedModel(script: ModelScript): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const tunnels: string[] = [];
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
    const path = (incoming.url ?? '').replace(/\?.*$/s, '');
    const body = incoming.method === 'POST' ? await readBody(incoming) : undefined;
    const counting = formats.find((one) => one.counting?.isAt(path) === true)?.counting;
    if (counting && body !== undefined) return json(response, 200, counting.answer);
    const format = formats.find(({ isAt }) => isAt(path));
    if (format === undefined || body === undefined)
      return json(response, 404, { error: { message: 'no such endpoint' } });
    const request = requestOf({ format, body, path, headers: incoming.headers as ModelRequest['headers'] });
    requests.push(request);
    await reply(await turnFor(request), request, format, response);
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error));
    });
  });
  server.on('connect', ({ url = '' }, socket) => {
    tunnels.push(url);
    socket.on('error', () => undefined).end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${String(port)}`;
  return {
    url: `${origin}/v1`,
    origin,
    requests,
    tunnels,
    isOver: () => typeof script !== 'function' && next >= script.length,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function requestOf({
  format,
  body,
  path,
  headers,
}: Pick<ModelRequest, 'body' | 'headers'> & { format: ModelFormat; path: string }): ModelRequest {
  const read = format.read(body, path);
  return { ...read, format: format.name, tools: read.advertised.map(({ name }) => name), headers, body };
}

async function reply(
  turn: ScriptedTurn,
  request: ModelRequest,
  format: ModelFormat,
  response: ServerResponse,
): Promise<void> {
  if ('fails' in turn) return fail(turn.fails, format, response);
  const spoken = speak(turn, request, format);
  if ('fails' in spoken) return fail(spoken.fails, format, response);
  const isStream = request.isStreaming && turn.isWhole !== true;
  const texts = isStream ? format.events(spoken, request) : [format.whole(spoken, request)];
  await deliver(texts, turn, isStream ? 'text/event-stream' : 'application/json', response);
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
