import {
  type Client,
  type LogLevel,
  logLevels,
  type Outcome,
  type ToolSpec,
  type Wanted,
} from '../../core/index.js';
import { errorText, type Frame, notificationText, type RawId, resultText } from '../../lib/json-rpc.js';
import type { JsonText } from '../../lib/json-text.js';
import { badCursor, cancelledId, changeMethods, cursorOf, unknownMethod } from '../answers.js';
import { answerUnderId, type Asked, type CallFace, type CallRunnerParts, runCall } from '../call-runner.js';
import { initializeResult, legacyResult, listResult, readInitialize, type ServerIdentity } from './codec.js';
import { faultText, protocolError } from '../faults.js';
import type { ReplyLine } from '../framing/reply-line.js';
import type { Pager } from '../list-pages.js';
import { isCallMethod, listMethods } from '../requests.js';
import { createOpenQuestions, type OpenQuestions } from './open-questions.js';
import { openSubscriptions } from './subscriptions.js';

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

export function openLegacyPeer(parts: LegacyPeerParts): LegacyPeer {
  const { gateway, session, inFlight } = parts;
  const questions = createOpenQuestions();
  const faceOf = createFaces(questions);
  const subscriptions = openSubscriptions(parts);
  let client: Client | undefined;
  let level: LogLevel | undefined;
  let isReady = false;
  const stopChanges = gateway.registry.onChange(parts.session, (changed) => {
    if (isReady) for (const method of changeMethods(changed)) parts.push(notificationText(method));
  });

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

  function setLevel({ frame, line }: Asked): void {
    const known = readLevel(frame.params);
    if (known === undefined) return line.end(protocolError(frame.id, -32602, unknownLevel));
    level = known;
    line.end(resultText(frame.id, '{}'));
  }

  function answerRequest(asked: Asked): void | Promise<void> {
    const { frame, line } = asked;
    if (frame.method === 'initialize') return initialize(asked);
    if (frame.method === 'ping') return line.end(resultText(frame.id, '{}'));
    if (client === undefined)
      return line.end(protocolError(frame.id, -32600, 'Not initialized: send initialize first'));
    if (isCallMethod(frame.method)) return runCall(parts, asked, frame.method, faceOf(client, level));
    if (frame.method === 'resources/subscribe') return subscriptions.add(asked);
    if (frame.method === 'resources/unsubscribe') return subscriptions.remove(asked);
    if (frame.method === 'logging/setLevel') return setLevel(asked);
    return answerList(parts, asked, client);
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
      else if (frame.kind === 'result' || frame.kind === 'error') questions.answered(frame);
      line.drop();
    },
    close() {
      stopChanges();
      subscriptions.close();
      questions.close();
    },
  };
}

/** The same face for all calls, until the client changes its log level. */
function createFaces(questions: OpenQuestions): (client: Client, level: LogLevel | undefined) => CallFace {
  let face: CallFace | undefined;
  return (client, logLevel) => {
    if (face?.client === client && face.logLevel === logLevel) return face;
    face = {
      client,
      logLevel,
      asking: 'live',
      ask: (question, { line, caller }) => questions.ask(line, caller, question),
      end: ({ frame, line }, outcome, { wanted }, tool) =>
        line.end(encodeOutcome(frame.id, outcome, wanted, tool)),
    };
    return face;
  };
}

async function answerList(
  { gateway, session, pager }: LegacyPeerParts,
  { frame, line, caller }: Asked,
  client: Client,
): Promise<void> {
  const method = listMethods.get(frame.method);
  if (method === undefined) return line.end(unknownMethod(frame.id, frame.method));
  await gateway.registry.settle(session);
  if (caller.isCancelled) return line.drop();
  const cursor = cursorOf(frame.params);
  const page =
    cursor === null ? undefined : pager.page(gateway.registry.list(session, method.kind, client), cursor);
  if (page === undefined) return line.end(badCursor(frame.id));
  line.end(resultText(frame.id, listResult(method.member, page.items, page.nextCursor)));
}

function encodeOutcome(id: RawId, outcome: Outcome, wanted: Wanted, tool?: ToolSpec): string {
  if (outcome.kind === 'content') return resultText(id, legacyResult(outcome.result));
  if (outcome.kind === 'asks')
    return protocolError(id, -32603, 'This client does not support multi-round input.');
  const fault = faultText(outcome.fault, wanted.kind, 'legacy', tool);
  return fault.as === 'result' ? resultText(id, fault.text) : errorText(id, fault.text);
}

const unknownLevel = `Invalid params: level must be one of ${logLevels.join(', ')}`;

function readLevel(params: JsonText | undefined): LogLevel | undefined {
  const asked = (params?.value as { readonly level?: unknown } | undefined)?.level;
  return logLevels.find((name) => name === asked);
}
