import type { IncomingMessage } from 'node:http';
import type { Client } from '../../../core/index.js';
import { type Frame, idKey, resultText } from '../../../lib/json-rpc.js';
import { JsonText } from '../../../lib/json-text.js';
import { cancelledId, tooMany } from '../../answers.js';
import { protocolError } from '../../faults.js';
import type { ReplyLine } from '../../framing/reply-line.js';
import { initializeResult, readInitialize, type ServerIdentity } from '../../stateful/codec.js';
import type { PushStream } from '../push-stream.js';
import { createRootsQuestion } from './roots-question.js';

/** One stateful client over HTTP. */
export interface SessionPeer {
  receive(frame: Frame, line: ReplyLine, request: IncomingMessage): void;
  close(): void;
}

export interface UndecidedParts {
  readonly server: ServerIdentity;
  readonly push: PushStream;
  readonly patienceMs: number;
  /**
   * Opens the session in the workspace that the roots are in; `result` is undefined if the client gave no answer. A text
   * says why no session was opened.
   */
  readonly decide: (result: unknown, request: IncomingMessage) => Promise<SessionPeer | string>;
}

export interface UndecidedPeer extends SessionPeer {
  /** True while requests wait for the decision. */
  isBusy(): boolean;
}

interface Held {
  readonly frame: Extract<Frame, { kind: 'request' }>;
  readonly line: ReplyLine;
  readonly request: IncomingMessage;
}

const maxHeld = 64;
/** The instructions of a project cannot be sent before the project is known. */
const instructions =
  'This gateway serves several projects. The folder that is open in your client decides which one this session uses.';

/**
 * A session whose workspace is not known yet. Answers the handshake, asks for the client's roots when the first list or
 * call comes, and keeps requests back until the session is open. Then hands everything to that session.
 */
export function openUndecidedPeer(parts: UndecidedParts): UndecidedPeer {
  const question = createRootsQuestion(parts.push, parts.patienceMs);
  let client: Client | undefined;
  let hello: Held['frame'] | undefined;
  let held: readonly Held[] = [];
  let isAsking = false;
  let isClosed = false;
  let decided: SessionPeer | string | undefined;

  function initialize({ frame, line }: Held): void {
    if (client !== undefined) return line.end(protocolError(frame.id, -32600, 'Already initialized'));
    client = readInitialize(frame.params);
    if (client === undefined) {
      return line.end(protocolError(frame.id, -32602, 'Invalid params: protocolVersion must be a string'));
    }
    hello = replayed(client);
    line.end(resultText(frame.id, initializeResult(client, parts.server, instructions)));
  }

  async function decide(first: Held): Promise<void> {
    isAsking = true;
    const result = await question.ask(first.line);
    if (isClosed) return;
    const found = await parts
      .decide(result, first.request)
      .catch(() => 'The gateway failed to open this session. Open a new one.');
    settle(found, first.request);
  }

  function settle(found: SessionPeer | string, request: IncomingMessage): void {
    const waiting = held;
    held = [];
    if (isClosed) return;
    decided = found;
    if (typeof found !== 'string' && hello !== undefined) found.receive(hello, silent, request);
    hello = undefined;
    for (const { frame, line, request: own } of waiting) pass(found, frame, line, own);
  }

  function takeRequest(asked: Held): void {
    const { frame, line } = asked;
    if (frame.method === 'initialize') return initialize(asked);
    if (frame.method === 'ping') return line.end(resultText(frame.id, '{}'));
    if (client === undefined)
      return line.end(protocolError(frame.id, -32600, 'Not initialized: send initialize first'));
    if (held.length >= maxHeld) return line.end(tooMany(frame.id));
    held = [...held, asked];
    if (!isAsking) void decide(asked);
  }

  function cancel(id: string): void {
    const isMeant = ({ frame }: Held): boolean => idKey(frame.id) === idKey(id);
    for (const { line } of held.filter(isMeant)) line.drop();
    held = held.filter((asked) => !isMeant(asked));
  }

  return {
    receive(frame, line, request) {
      if (decided !== undefined) return pass(decided, frame, line, request);
      if (frame.kind === 'request') return takeRequest({ frame, line, request });
      if (frame.kind === 'notification' && frame.method === 'notifications/cancelled') {
        const id = cancelledId(frame.params);
        if (id !== undefined) cancel(id);
      }
      question.hear(frame);
      line.drop();
    },
    isBusy: () => held.length > 0,
    close() {
      isClosed = true;
      question.giveUp();
      for (const { line } of held) line.drop();
      held = [];
      if (typeof decided === 'object') decided.close();
    },
  };
}

/** The handshake for the chosen workspace. Not the client's own message: it may be long, and would be kept until then. */
function replayed({ protocolVersion, capabilities, info }: Client): Held['frame'] {
  const clientInfo = info === undefined ? '' : `,"clientInfo":${info.text}`;
  const params = `{"protocolVersion":"${protocolVersion}","capabilities":${capabilities.text}${clientInfo}}`;
  return { kind: 'request', id: '"tidegate-initialize"', method: 'initialize', params: new JsonText(params) };
}

function pass(decided: SessionPeer | string, frame: Frame, line: ReplyLine, request: IncomingMessage): void {
  if (typeof decided !== 'string') return decided.receive(frame, line, request);
  if (frame.kind !== 'request') return line.drop();
  if (frame.method === 'ping') return line.end(resultText(frame.id, '{}'));
  line.end(protocolError(frame.id, -32600, decided));
}

const silent: ReplyLine = {
  send: () => false,
  tell: () => undefined,
  end: () => undefined,
  drop: () => undefined,
};
