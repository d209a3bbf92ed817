import type { Readable, Writable } from 'node:stream';
import type { Gateway } from '../../gateway/index.js';
import { createLineReader, type Line } from '../../lib/lines.js';
import { clientBounds, readFrame } from '../../lib/json-rpc.js';
import type { Session } from '../../core/index.js';
import { hasEnvelope } from '../stateless/codec.js';
import { protocolError } from '../faults.js';
import { createInFlight, type InFlight } from '../framing/in-flight.js';
import type { ReplyLine } from '../framing/reply-line.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { maxMessageBytes, maxRunning, maxWaiting, supportedVersions, type WireCommon } from '../identity.js';
import { openLegacyPeer } from '../stateful/peer.js';
import { openModernPeer } from '../stateless/peer.js';
import { type LineWriter, openLineWriter } from './line-writer.js';
import { createNews, type News } from './news.js';

export interface StdioParts {
  readonly gateway: Gateway;
  readonly session: Session;
  readonly common: WireCommon;
  readonly input: Readable;
  readonly output: Writable;
}

export interface StdioServer {
  /** Resolves when the client has closed its end and quick answers are sent. */
  readonly ended: Promise<void>;
  close(): void;
}

const lastAnswersMs = 80;

const unreadable = {
  oversize: protocolError(
    undefined,
    -32600,
    `Invalid request: the message exceeds ${String(maxMessageBytes)} bytes`,
  ),
  encoding: protocolError(undefined, -32700, 'Parse error: the message is not valid UTF-8'),
} as const;

/** Serve one client over a pair of streams, with all protocol versions on the same line. */
export function serveStdio(parts: StdioParts): StdioServer {
  const { gateway, session, input, common } = parts;
  const writer = openLineWriter(parts.output);
  const news = createNews(writer);
  const reader = createLineReader(maxMessageBytes);
  const inFlight = createInFlight();
  const runner = {
    gateway,
    session,
    inFlight,
    semaphore: createSemaphore(maxRunning, maxWaiting, () => writer.isFull()),
    newRequestId: common.newRequestId,
    server: common.server,
  };
  const legacy = openLegacyPeer({
    ...runner,
    pager: common.pagers.legacy,
    push: (text) => news.tell(text),
  });
  const modern = openModernPeer({ ...runner, pager: common.pagers.modern, supportedVersions });
  const line = replyLine(writer, news);
  let backlog: Line[] = [];

  function take(read: Line): void {
    if (read.kind === 'unreadable') return writer.write(unreadable[read.reason]);
    const frame = readFrame(read.text, clientBounds);
    if (frame.kind === 'bad') return writer.write(protocolError(frame.id, frame.code, frame.reason));
    const isModern = 'params' in frame && hasEnvelope(frame.params);
    const opensModern = frame.kind === 'request' && frame.method === 'server/discover';
    (isModern || opensModern ? modern : legacy).receive(frame, line);
  }

  /** Start nothing new while the client does not read: its answers would pile up. */
  function work(): void {
    news.flush();
    runner.semaphore.reopen();
    while (backlog.length > 0 && !writer.isFull()) {
      const next = backlog.shift();
      if (next !== undefined) take(next);
    }
    if (backlog.length > 0 || writer.isFull()) input.pause();
    else if (input.isPaused()) input.resume();
  }

  const onData = (chunk: Buffer): void => {
    const lines = reader.push(chunk);
    backlog = backlog.length === 0 ? lines : [...backlog, ...lines];
    work();
  };
  writer.onDrain(work);
  input.on('data', onData);

  const ended = new Promise<void>((resolve) => {
    let isOver = false;
    const over = (): void => {
      if (isOver) return;
      isOver = true;
      for (const last of reader.end()) take(last);
      void lastAnswers(inFlight, writer).then(close).then(resolve);
    };
    for (const event of ['end', 'close', 'error']) input.once(event, over);
    writer.onBroken(over);
  });

  let isClosed = false;
  function close(): void {
    if (isClosed) return;
    isClosed = true;
    input.off('data', onData);
    backlog = [];
    legacy.close();
    modern.close();
    inFlight.cancelAll();
    writer.flush();
    gateway.leave(session);
  }

  return { ended, close };
}

function replyLine(writer: LineWriter, news: News): ReplyLine {
  return {
    send(text) {
      if (writer.isFull()) return false;
      writer.write(text);
      return true;
    },
    tell: (text) => news.tell(text),
    end: (text) => writer.write(text),
    drop: () => {},
  };
}

/** Gives requests a moment to answer after the client closed its end. */
async function lastAnswers(inFlight: InFlight, writer: LineWriter): Promise<void> {
  const until = performance.now() + lastAnswersMs;
  while ((inFlight.size > 0 || writer.pending() > 0) && performance.now() < until && !writer.isBroken())
    await new Promise((resolve) => setTimeout(resolve, 5));
}
