import type { Readable, Writable } from 'node:stream';
import type { Gateway } from '../../gateway/index.js';
import { createLineReader, type Line } from '../../lib/lines.js';
import { clientBounds, readFrame } from '../../lib/json-rpc.js';
import type { Session } from '../../core/index.js';
import { hasEnvelope } from '../stateless/codec.js';
import { protocolError } from '../faults.js';
import { createInFlight } from '../framing/in-flight.js';
import type { ReplyLine } from '../framing/reply-line.js';
import { createSemaphore } from '../../lib/semaphore.js';
import { maxMessageBytes, maxRunning, maxWaiting, supportedVersions, type WireCommon } from '../identity.js';
import { openLegacyPeer } from '../stateful/peer.js';
import { openModernPeer } from '../stateless/peer.js';
import { openLineWriter } from './line-writer.js';

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

/** Limit of notifications for a client that does not read. */
const maxNews = 1000;

/** How long requests may still answer after the client closed its end. */
const lastWordsMs = 80;

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
    push: (text) => tell(text),
  });
  const modern = openModernPeer({ ...runner, pager: common.pagers.modern, supportedVersions });
  const line: ReplyLine = {
    send(text) {
      if (writer.isFull()) return false;
      writer.write(text);
      return true;
    },
    tell: (text) => tell(text),
    end: (text) => writer.write(text),
    drop: () => {},
  };
  let backlog: Line[] = [];
  const news = new Set<string>();

  /** Merges equal notifications; drops the oldest first. */
  function tell(text: string): void {
    if (news.size === 0 && !writer.isFull()) return writer.write(text);
    news.add(text);
    const [oldest] = news;
    if (news.size > maxNews && oldest !== undefined) news.delete(oldest);
  }

  function tellNews(): void {
    for (const text of news) {
      if (writer.isFull()) return;
      news.delete(text);
      writer.write(text);
    }
  }

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
    if (news.size > 0) tellNews();
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
      void lastWords().then(resolve);
    };
    input.once('end', over);
    input.once('close', over);
    input.once('error', over);
    writer.onBroken(over);
  });

  async function lastWords(): Promise<void> {
    const until = performance.now() + lastWordsMs;
    while ((inFlight.size > 0 || writer.pending() > 0) && performance.now() < until && !writer.isBroken()) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    close();
  }

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
