import type { ServerResponse } from 'node:http';
import type { ModelFormat } from './format.js';
import type { ScriptedDelivery, ScriptedFault } from './turn.js';

/** Sends the scripted failure, or never answers. */
export function fail(
  { status = 500, headers = {}, body, hangs, ...rest }: ScriptedFault,
  format: ModelFormat,
  response: ServerResponse,
): void {
  if (hangs === true) return;
  response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(body ?? format.fault({ ...rest, status }));
}

/** Sends an answer in the chunks the script asks for. */
export async function deliver(
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
  // A broken connection has no final chunk.
  if (cutAfter !== undefined) response.destroy();
  else response.end();
}

/** Sends each piece as a separate write, with a pause so that it is sent separately. */
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
