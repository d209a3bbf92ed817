import { setMaxListeners } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { createLineReader, type Line } from '../../lib/lines.js';
import { type Frame, idKey, clientBounds, readFrame } from '../../lib/json-rpc.js';
import { onOneLine } from '../../lib/json-text.js';
import { cancelledId } from '../answers.js';
import { hasEnvelope } from '../stateless/codec.js';
import { protocolError } from '../faults.js';
import { maxMessageBytes } from '../identity.js';
import { openLineWriter } from '../stdio/line-writer.js';
import { createCarrier } from './carrier.js';
import { openGateClient } from './gate-client.js';
import { openLegacyProtocol } from './stateful.js';
import { createModernProtocol } from './stateless.js';

export interface RelayParts {
  readonly url: URL;
  readonly token: string | undefined;
  /** The workspace to ask for. Default: the gateway's own choice. */
  readonly workspace?: string;
  readonly input: Readable;
  readonly output: Writable;
  /** Stop the relay early. */
  readonly signal: AbortSignal;
}

/** `unreached`: no gateway ever responded. `refused`: the token is not valid, or no longer. */
export type RelayEnd = 'ended' | 'unreached' | 'refused';

/** How long to wait for pending answers after the client closed its end. */
const lastAnswersMs = 500;

const unreadable = {
  oversize: protocolError(
    undefined,
    -32600,
    `Invalid request: the message exceeds ${String(maxMessageBytes)} bytes`,
  ),
  encoding: protocolError(undefined, -32700, 'Parse error: the message is not valid UTF-8'),
} as const;

/** Relay messages unchanged between a client on a pair of streams and a gateway over HTTP. */
export async function runRelay(parts: RelayParts): Promise<RelayEnd> {
  const client = await openGateClient(parts);
  const writer = openLineWriter(parts.output);
  const reader = createLineReader(maxMessageBytes);
  const stop = new AbortController();
  // Every exchange with the gateway listens to this signal.
  setMaxListeners(0, stop.signal);

  function deliver(text: string): void {
    writer.write(onOneLine(text));
    if (writer.isFull()) client.pause();
  }
  writer.onDrain(() => client.resume());

  let refuse: () => void = () => undefined;
  const refused = new Promise<void>((resolve) => (refuse = resolve));
  const carrier = createCarrier({
    client,
    deliver,
    signal: stop.signal,
    address: addressOf(parts.url),
    onRefused: () => refuse(),
  });
  const legacy = openLegacyProtocol({ client, deliver, signal: stop.signal });
  const modern = createModernProtocol({ client, signal: stop.signal });

  function take(line: Line): void {
    if (line.kind === 'unreadable') return writer.write(unreadable[line.reason]);
    const frame = readFrame(line.text, clientBounds);
    if (frame.kind === 'bad') return writer.write(protocolError(frame.id, frame.code, frame.reason));
    if (frame.kind === 'request') return carrier.carry(frame, line.text, isModern(frame) ? modern : legacy);
    if (frame.kind === 'notification' && frame.method === 'notifications/cancelled') {
      const id = cancelledId(frame.params);
      if (id !== undefined) carrier.cancel(idKey(id), line.text);
      return;
    }
    legacy.tell(frame, line.text);
  }

  parts.input.on('data', (chunk: Buffer) => {
    for (const line of reader.push(chunk)) take(line);
  });
  await Promise.race([over(parts, (listener) => writer.onBroken(listener)), refused]);
  for (const line of reader.end()) take(line);
  await carrier.idle(parts.signal.aborted || writer.isBroken() ? 0 : lastAnswersMs);
  await legacy.close();
  stop.abort();
  client.close();
  writer.flush();
  if (!carrier.wasReached()) return 'unreached';
  return carrier.wasRefused() ? 'refused' : 'ended';
}

/** The address for messages, without user and password. */
function addressOf(url: URL): string {
  return new URL(`${url.pathname}${url.search}`, url.origin).href;
}

function isModern(frame: Extract<Frame, { readonly kind: 'request' }>): boolean {
  return hasEnvelope(frame.params) || frame.method === 'server/discover';
}

function over({ input, signal }: RelayParts, onBroken: (listener: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => resolve();
    if (signal.aborted) done();
    signal.addEventListener('abort', done, { once: true });
    for (const event of ['end', 'close', 'error']) input.once(event, done);
    onBroken(done);
  });
}
