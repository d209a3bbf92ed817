import type { ListKind } from '../gateway/index.js';
import {
  type Client,
  errorText,
  type Frame,
  JsonText,
  type LogLevel,
  notificationText,
  type Outcome,
  type RawId,
  type Request,
  resultText,
} from '../kernel/index.js';
import {
  badCursor,
  cancelledId,
  changeMethods,
  cursorOf,
  duplicate,
  failed,
  tooMany,
  unknownMethod,
} from './answers.js';
import { type AskedFrame, type CallRunnerParts, runCall } from './call-runner.js';
import {
  completeResult,
  discoverResult,
  inputRequiredResult,
  listResult,
  metaKeys,
  type ModernServer,
  readEnvelope,
  taggedParams,
} from './era-modern/codec.js';
import { refusedAnswer } from './exchanges.js';
import { faultText, protocolError } from './faults.js';
import type { ReplyLine } from './framing/reply-line.js';
import type { Pager } from './list-pages.js';
import { type CallMethod, isCallMethod, listMethods } from './requests.js';

export interface ModernPeerParts extends CallRunnerParts {
  readonly server: ModernServer;
  readonly supportedVersions: readonly string[];
  readonly pager: Pager;
}

/** One client of the modern era: every request stands alone; only listen streams live longer. */
export interface ModernPeer {
  receive(frame: Frame, line: ReplyLine): void;
  close(): void;
}

const maxListens = 64;

export function openModernPeer(parts: ModernPeerParts): ModernPeer {
  const { gateway, session, inFlight, server } = parts;
  const listens = new Map<RawId, () => void>();

  function call(frame: AskedFrame, method: CallMethod, sender: Sender, line: ReplyLine): Promise<void> {
    return runCall(
      parts,
      frame,
      method,
      {
        client: sender.client,
        logLevel: sender.logLevel,
        asking: 'rounds',
        ask: () => Promise.resolve(refusedAnswer('this client is asked in rounds')),
        end: (outcome, request) => endWith(frame.id, outcome, request, line),
      },
      line,
    );
  }

  function endWith(id: RawId, outcome: Outcome, { wanted }: Request, line: ReplyLine): void {
    if (outcome.kind === 'content') {
      return line.end(resultText(id, completeResult(outcome.result, wanted.kind === 'resource', server)));
    }
    if (outcome.kind === 'asks') {
      return line.end(resultText(id, inputRequiredResult(outcome.questions, outcome.state, server)));
    }
    const fault = faultText(outcome.fault, wanted.kind, 'modern');
    if (fault.as === 'error') return line.end(errorText(id, fault.text), fault.httpStatus);
    line.end(resultText(id, completeResult(new JsonText(fault.text), false, server)));
  }

  async function list(frame: AskedFrame, line: ReplyLine): Promise<void> {
    const method = listMethods.get(frame.method);
    if (method === undefined) return line.end(unknownMethod(frame.id, frame.method), 404);
    await gateway.settle();
    const cursor = cursorOf(frame.params);
    const page = cursor === null ? undefined : parts.pager.page(gateway.list(session, method.kind), cursor);
    if (page === undefined) return line.end(badCursor(frame.id));
    line.end(resultText(frame.id, listResult(method.member, page.items, page.nextCursor, server)));
  }

  async function discover(frame: AskedFrame, line: ReplyLine): Promise<void> {
    await gateway.settle();
    line.end(resultText(frame.id, discoverResult(server, gateway.instructions(session))));
  }

  async function listen(frame: AskedFrame, line: ReplyLine): Promise<void> {
    if (listens.size >= maxListens) return line.end(tooMany(frame.id));
    const controller = inFlight.begin(frame.id);
    if (controller === undefined) return line.end(duplicate(frame.id), 400);
    const stops: (() => void)[] = [];
    const finish = (): void => {
      listens.delete(frame.id);
      inFlight.end(frame.id);
      for (const stop of stops) stop();
    };
    listens.set(frame.id, () => {
      finish();
      line.end(
        resultText(frame.id, `{"resultType":"complete","_meta":{"${metaKeys.subscriptionId}":${frame.id}}}`),
      );
    });
    controller.signal.addEventListener('abort', () => {
      finish();
      line.drop();
    });
    await gateway.settle();
    const filter = readFilter(frame.params);
    const held: string[] = [];
    let isOpen = false;
    const send = (text: string): void => {
      if (isOpen) line.send(text);
      else if (held.length < 1000) held.push(text);
    };
    const watched = await watchAll(filter.resources, frame.id, send, stops);
    stops.push(gateway.onChange((changed) => sendChanges(changed, filter, frame.id, send)));
    if (controller.signal.aborted) return finish();
    line.send(
      notificationText('notifications/subscriptions/acknowledged', acknowledged(filter, watched, frame.id)),
    );
    isOpen = true;
    for (const text of held) line.send(text);
  }

  async function watchAll(
    uris: readonly string[],
    id: RawId,
    send: (text: string) => void,
    stops: (() => void)[],
  ): Promise<string[]> {
    const watched: string[] = [];
    for (const uri of uris) {
      const stop = await gateway.watch(session, uri, (params) =>
        send(notificationText('notifications/resources/updated', taggedParams(params.text, id))),
      );
      if (typeof stop !== 'function') continue;
      stops.push(stop);
      watched.push(uri);
    }
    return watched;
  }

  function answerRequest(frame: AskedFrame, line: ReplyLine): void | Promise<void> {
    const envelope = readEnvelope(frame.params);
    if (!envelope.ok) return line.end(envelopeError(frame.id, envelope, parts.supportedVersions), 400);
    if (isCallMethod(frame.method)) return call(frame, frame.method, envelope, line);
    if (frame.method === 'server/discover') return discover(frame, line);
    if (frame.method === 'subscriptions/listen') return listen(frame, line);
    return list(frame, line);
  }

  return {
    receive(frame, line) {
      if (frame.kind === 'request') {
        Promise.resolve(answerRequest(frame, line)).catch(() => {
          line.end(failed(frame.id));
        });
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
      for (const finish of [...listens.values()]) finish();
    },
  };
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

interface Filter {
  readonly kinds: ReadonlySet<string>;
  readonly resources: readonly string[];
}

const filterKeys = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const;

function readFilter(params: JsonText | undefined): Filter {
  const asked = (params?.value as { readonly notifications?: Readonly<Record<string, unknown>> } | undefined)
    ?.notifications;
  const kinds = Object.entries(filterKeys).filter(([, key]) => asked?.[key] === true);
  const resources = asked?.['resourceSubscriptions'];
  return {
    kinds: new Set(kinds.map(([kind]) => kind)),
    resources: Array.isArray(resources)
      ? resources.filter((uri) => typeof uri === 'string').slice(0, 1000)
      : [],
  };
}

function acknowledged(filter: Filter, watched: readonly string[], id: RawId): string {
  const honoured = {
    ...Object.fromEntries(
      Object.entries(filterKeys).flatMap(([kind, key]) => (filter.kinds.has(kind) ? [[key, true]] : [])),
    ),
    ...(watched.length > 0 && { resourceSubscriptions: watched }),
  };
  return `{"_meta":{"${metaKeys.subscriptionId}":${id}},"notifications":${JSON.stringify(honoured)}}`;
}

function sendChanges(
  changed: readonly ListKind[],
  filter: Filter,
  id: RawId,
  send: (text: string) => void,
): void {
  const wanted = changed.filter((kind) => filter.kinds.has(kind === 'templates' ? 'resources' : kind));
  const tag = `{"_meta":{"${metaKeys.subscriptionId}":${id}}}`;
  for (const method of changeMethods(wanted)) send(notificationText(method, tag));
}
