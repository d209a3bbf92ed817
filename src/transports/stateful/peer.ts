import {
  type Answer,
  type Client,
  type LogLevel,
  logLevels,
  type Outcome,
  type Question,
  type ToolSpec,
  type Wanted,
} from '../../core/index.js';
import type { Cancellation } from '../../lib/cancellation.js';
import {
  errorText,
  type Frame,
  notificationText,
  type RawId,
  requestText,
  resultText,
} from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import { badCursor, cancelledId, changeMethods, cursorOf, tooMany, unknownMethod } from '../answers.js';
import { answerUnderId, type Asked, type CallRunnerParts, runCall } from '../call-runner.js';
import { initializeResult, legacyResult, listResult, readInitialize, type ServerIdentity } from './codec.js';
import { refusedAnswer } from '../exchanges.js';
import { faultText, protocolError } from '../faults.js';
import type { ReplyLine } from '../framing/reply-line.js';
import type { Pager } from '../list-pages.js';
import { type CallMethod, isCallMethod, listMethods } from '../requests.js';

export interface LegacyPeerParts extends CallRunnerParts {
  readonly server: ServerIdentity;
  readonly pager: Pager;
  /** Send a message that belongs to no request. */
  readonly push: (text: string) => void;
}

/** One stateful client: its handshake, log level, subscriptions and open questions. */
export interface LegacyPeer {
  receive(frame: Frame, line: ReplyLine): void;
  close(): void;
}

/** Far above what a real client needs; more is a mistake or an attack. */
const maxSubscriptions = 1000;
const maxQuestions = 256;

export function openLegacyPeer(parts: LegacyPeerParts): LegacyPeer {
  const { gateway, session, inFlight } = parts;
  const questions = new Map<string, (answer: Answer) => void>();
  const watches = new Map<string, () => void>();
  let client: Client | undefined;
  let level: LogLevel | undefined;
  let nextQuestion = 0;
  let isReady = false;
  let isClosed = false;
  const stopChanges = gateway.registry.onChange(parts.session, (changed) => {
    if (isReady) for (const method of changeMethods(changed)) parts.push(notificationText(method));
  });

  function ask(line: ReplyLine, caller: Cancellation, question: Question): Promise<Answer> {
    if (questions.size >= maxQuestions) return Promise.resolve(refusedAnswer('too many open questions'));
    nextQuestion += 1;
    const id = String(nextQuestion);
    return new Promise((resolve) => {
      const giveUp = (): void => settle(refusedAnswer('the caller left'));
      const settle = (answer: Answer): void => {
        stop();
        questions.delete(id);
        resolve(answer);
      };
      questions.set(id, settle);
      const stop = caller.onCancel(giveUp);
      const isSent = line.send(requestText(id, question.method, question.params.text));
      if (!isSent) settle(refusedAnswer('no stream is open to ask the caller'));
    });
  }

  function call(asked: Asked, method: CallMethod, known: Client): Promise<void> {
    const { frame, line } = asked;
    return runCall(parts, asked, method, {
      client: known,
      logLevel: level,
      asking: 'live',
      ask: (question, caller) => ask(line, caller, question),
      end: (outcome, { wanted }, tool) => line.end(encodeOutcome(frame.id, outcome, wanted, tool)),
    });
  }

  async function list({ frame, line, caller }: Asked): Promise<void> {
    const method = listMethods.get(frame.method);
    if (method === undefined) return line.end(unknownMethod(frame.id, frame.method));
    await gateway.registry.settle(session);
    if (caller.isCancelled) return line.drop();
    const cursor = cursorOf(frame.params);
    const page =
      cursor === null
        ? undefined
        : parts.pager.page(gateway.registry.list(session, method.kind, client), cursor);
    if (page === undefined) return line.end(badCursor(frame.id));
    line.end(resultText(frame.id, listResult(method.member, page.items, page.nextCursor)));
  }

  async function initialize({ frame, line }: Asked): Promise<void> {
    if (client !== undefined) return line.end(protocolError(frame.id, -32600, 'Already initialized'));
    client = readInitialize(frame.params);
    if (client === undefined) {
      return line.end(protocolError(frame.id, -32602, 'Invalid params: protocolVersion must be a string'));
    }
    await gateway.registry.settle(session);
    line.end(
      resultText(
        frame.id,
        initializeResult(client, parts.server, gateway.registry.instructions(session, client)),
      ),
    );
    isReady = true;
  }

  async function subscribe({ frame, line }: Asked): Promise<void> {
    const uri = uriOf(frame.params);
    if (uri === undefined)
      return line.end(protocolError(frame.id, -32602, 'Invalid params: uri must be a string'));
    if (!watches.has(uri) && watches.size >= maxSubscriptions) return line.end(tooMany(frame.id));
    await gateway.registry.settle(session);
    const stop = await gateway.registry.watch(session, uri, (params) =>
      parts.push(notificationText('notifications/resources/updated', params.text)),
    );
    if (typeof stop !== 'function') {
      return line.end(errorText(frame.id, faultText(stop, 'resource', 'legacy').text));
    }
    // In the meantime the client may have left, or reached its limit of subscriptions.
    const isWelcome = !isClosed && (watches.has(uri) || watches.size < maxSubscriptions);
    if (!isWelcome) {
      stop();
      return line.end(tooMany(frame.id));
    }
    watches.get(uri)?.();
    watches.set(uri, stop);
    line.end(resultText(frame.id, '{}'));
  }

  function unsubscribe({ frame, line }: Asked): void {
    const uri = uriOf(frame.params);
    if (uri !== undefined) {
      watches.get(uri)?.();
      watches.delete(uri);
    }
    line.end(resultText(frame.id, '{}'));
  }

  function setLevel({ frame, line }: Asked): void {
    const asked = (frame.params?.value as { readonly level?: unknown } | undefined)?.level;
    const known = logLevels.find((name) => name === asked);
    if (known === undefined) {
      return line.end(
        protocolError(frame.id, -32602, `Invalid params: level must be one of ${logLevels.join(', ')}`),
      );
    }
    level = known;
    line.end(resultText(frame.id, '{}'));
  }

  function answerRequest(asked: Asked): void | Promise<void> {
    const { frame, line } = asked;
    if (frame.method === 'initialize') return initialize(asked);
    if (frame.method === 'ping') return line.end(resultText(frame.id, '{}'));
    if (client === undefined)
      return line.end(protocolError(frame.id, -32600, 'Not initialized: send initialize first'));
    if (isCallMethod(frame.method)) return call(asked, frame.method, client);
    if (frame.method === 'resources/subscribe') return subscribe(asked);
    if (frame.method === 'resources/unsubscribe') return unsubscribe(asked);
    if (frame.method === 'logging/setLevel') return setLevel(asked);
    return list(asked);
  }

  function notice(frame: Extract<Frame, { kind: 'notification' }>): void {
    const id = frame.method === 'notifications/cancelled' ? cancelledId(frame.params) : undefined;
    if (id !== undefined) inFlight.cancel(id);
  }

  return {
    receive(frame, line) {
      if (frame.kind === 'request') {
        void answerUnderId(inFlight, frame, line, answerRequest);
        return;
      }
      if (frame.kind === 'notification') notice(frame);
      else if (frame.kind === 'result') questions.get(frame.id)?.({ kind: 'answer', result: frame.result });
      else if (frame.kind === 'error' && frame.id !== undefined) {
        questions.get(frame.id)?.({ kind: 'refused', error: frame.error });
      }
      line.drop();
    },
    close() {
      isClosed = true;
      stopChanges();
      for (const stop of watches.values()) stop();
      watches.clear();
      for (const settle of [...questions.values()]) settle(refusedAnswer('the caller left'));
    },
  };
}

function encodeOutcome(id: RawId, outcome: Outcome, wanted: Wanted, tool?: ToolSpec): string {
  if (outcome.kind === 'content') return resultText(id, legacyResult(outcome.result));
  if (outcome.kind === 'asks')
    return protocolError(id, -32603, 'This client does not support multi-round input.');
  const fault = faultText(outcome.fault, wanted.kind, 'legacy', tool);
  return fault.as === 'result' ? resultText(id, fault.text) : errorText(id, fault.text);
}

function uriOf(params: JsonText | undefined): string | undefined {
  const uri = (params?.value as { readonly uri?: unknown } | undefined)?.uri;
  return typeof uri === 'string' ? uri : undefined;
}
