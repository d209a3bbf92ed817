import type { Client, LogLevel, Outcome, ToolSpec, Wanted } from '../../core/index.js';
import { errorText, type Frame, type RawId, resultText } from '../../lib/json-rpc.js';
import { JsonText } from '../../lib/json-text.js';
import { badCursor, cancelledId, cursorOf, tooMany, unknownMethod } from '../answers.js';
import { answerUnderId, type Asked, type CallRunnerParts, runCall } from '../call-runner.js';
import {
  completeResult,
  discoverResult,
  inputRequiredResult,
  listResult,
  type ModernServer,
  readEnvelope,
} from './codec.js';
import { refusedAnswer } from '../exchanges.js';
import { faultText, protocolError } from '../faults.js';
import type { ReplyLine } from '../framing/reply-line.js';
import { type Listen, openListen } from '../listen.js';
import type { Pager } from '../list-pages.js';
import { type CallMethod, isCallMethod, listMethods } from '../requests.js';

export interface ModernPeerParts extends CallRunnerParts {
  readonly server: ModernServer;
  readonly supportedVersions: readonly string[];
  readonly pager: Pager;
}

/** One stateless client: every request is independent; only listen streams live longer. */
export interface ModernPeer {
  receive(frame: Frame, line: ReplyLine): void;
  close(): void;
}

const maxListens = 64;

export function openModernPeer(parts: ModernPeerParts): ModernPeer {
  const { gateway, session, inFlight, server } = parts;
  const listens = new Set<Listen>();

  function call(asked: Asked, method: CallMethod, sender: Sender): Promise<void> {
    return runCall(parts, asked, method, {
      client: sender.client,
      logLevel: sender.logLevel,
      asking: 'rounds',
      ask: () => Promise.resolve(refusedAnswer('this client uses multi-round input')),
      end: (asked, outcome, { wanted }, tool) => answerWith(asked, outcome, { wanted, tool, server }),
    });
  }

  async function list({ frame, line, caller }: Asked, { client }: Sender): Promise<void> {
    const method = listMethods.get(frame.method);
    if (method === undefined) return line.end(unknownMethod(frame.id, frame.method), 404);
    await gateway.registry.settle(session);
    if (caller.isCancelled) return line.drop();
    const cursor = cursorOf(frame.params);
    const page =
      cursor === null
        ? undefined
        : parts.pager.page(gateway.registry.list(session, method.kind, client), cursor);
    if (page === undefined) return line.end(badCursor(frame.id));
    line.end(resultText(frame.id, listResult(method.member, page.items, page.nextCursor, server)));
  }

  async function discover({ frame, line, caller }: Asked, { client }: Sender): Promise<void> {
    await gateway.registry.settle(session);
    if (caller.isCancelled) return line.drop();
    line.end(resultText(frame.id, discoverResult(server, gateway.registry.instructions(session, client))));
  }

  async function listen({ frame, line, caller }: Asked): Promise<void> {
    if (listens.size >= maxListens) return line.end(tooMany(frame.id));
    const listening = openListen({ gateway, session, id: frame.id, params: frame.params, line, caller });
    listens.add(listening);
    await listening.over;
    listens.delete(listening);
  }

  function answerRequest(asked: Asked): void | Promise<void> {
    const { frame, line } = asked;
    const envelope = readEnvelope(frame.params);
    if (!envelope.ok) return line.end(envelopeError(frame.id, envelope, parts.supportedVersions), 400);
    if (isCallMethod(frame.method)) return call(asked, frame.method, envelope);
    if (frame.method === 'server/discover') return discover(asked, envelope);
    if (frame.method === 'subscriptions/listen') return listen(asked);
    return list(asked, envelope);
  }

  return {
    receive(frame, line) {
      if (frame.kind === 'request') {
        void answerUnderId(inFlight, frame, line, answerRequest);
        return;
      }
      const id =
        frame.kind === 'notification' && frame.method === 'notifications/cancelled'
          ? cancelledId(frame.params)
          : undefined;
      if (id !== undefined) inFlight.cancel(id);
      line.drop();
    },
    close() {
      for (const listening of listens) listening.close();
    },
  };
}

interface Answering {
  readonly wanted: Wanted;
  readonly tool: ToolSpec | undefined;
  readonly server: ModernPeerParts['server'];
}

function answerWith(
  { frame: { id }, line }: Asked,
  outcome: Outcome,
  { wanted, tool, server }: Answering,
): void {
  if (outcome.kind === 'content') {
    return line.end(resultText(id, completeResult(outcome.result, wanted.kind === 'resource', server)));
  }
  if (outcome.kind === 'asks') {
    return line.end(resultText(id, inputRequiredResult(outcome.questions, outcome.state, server)));
  }
  const fault = faultText(outcome.fault, wanted.kind, 'modern', tool);
  if (fault.as === 'error') return line.end(errorText(id, fault.text), fault.httpStatus);
  line.end(resultText(id, completeResult(new JsonText(fault.text), false, server)));
}

interface Sender {
  readonly client: Client;
  readonly logLevel: LogLevel | undefined;
}

type EnvelopeProblem = { readonly missing: string } | { readonly requested: string };

function envelopeError(id: RawId, problem: EnvelopeProblem, supported: readonly string[]): string {
  if ('missing' in problem) {
    return protocolError(id, -32602, `Invalid params: _meta["${problem.missing}"] is required`);
  }
  return protocolError(id, -32022, 'Unsupported protocol version', {
    supported,
    requested: problem.requested,
  });
}
