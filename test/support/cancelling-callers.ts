import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { endProcess } from './gate.js';
import { mcpHeaders, modernHeaders, openHttpClient, openLegacySession } from './http-client.js';
import { envelope, type Message, openLineClient, requestLine } from './line-client.js';
import type { Protocol } from './upstreams.js';

/** A client that starts calls, cancels them the way its era and wire do, and shows everything that came. */
export interface CancellingCaller {
  /** Starts a call; `heard` gets everything that bears its id or its progress token. */
  start(call: StartedCall): void;
  cancel(id: number): void;
  /** Calls a tool to its end, under an id that no test uses. */
  ask(tool: string, args: object): Promise<Message>;
  /** Resolves when everything that was sent has arrived: only then may an id be used again. */
  settle(): Promise<void>;
  /** Whether a cancellation is a message that can name an id that is not open. */
  readonly canCancelAnything: boolean;
  close(): Promise<void>;
}

export interface StartedCall {
  readonly id: number;
  readonly tool: string;
  readonly args: object;
  readonly wantsProgress: boolean;
  /** The cancellation leaves in the same write as the call. */
  readonly isCancelledAtOnce: boolean;
  readonly heard: (message: Message) => void;
}

const firstOwnId = 1_000_000;

function paramsOf(
  protocol: Protocol,
  tool: string,
  args: object,
  token?: number,
): { readonly name: string; readonly [more: string]: unknown } {
  const meta = {
    ...(protocol === 'modern' && envelope()),
    ...(token !== undefined && { progressToken: token }),
  };
  return { name: tool, arguments: args, _meta: meta };
}

const cancelText = (protocol: Protocol, id: number): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: id, ...(protocol === 'modern' && { _meta: envelope() }) },
  });

/** Speaks over the pipes of a child, the gate or a stand-in for it. */
export async function openStdioCaller(
  child: ChildProcessWithoutNullStreams,
  protocol: Protocol,
): Promise<CancellingCaller> {
  const client = openLineClient(child);
  const heard = new Map<number, StartedCall['heard']>();
  let lastOwn = firstOwnId;
  client.onLine(({ message }) => {
    const about = message.method === undefined ? message.id : message.params?.['progressToken'];
    if (typeof about === 'number') heard.get(about)?.(message);
  });
  if (protocol === 'legacy') await client.initialize();
  return {
    canCancelAnything: true,
    start(call) {
      heard.set(call.id, call.heard);
      const token = call.wantsProgress ? call.id : undefined;
      const line = requestLine(
        String(call.id),
        'tools/call',
        paramsOf(protocol, call.tool, call.args, token),
      );
      client.send(call.isCancelledAtOnce ? `${line}\n${cancelText(protocol, call.id)}\n` : `${line}\n`);
    },
    cancel: (id) => client.send(`${cancelText(protocol, id)}\n`),
    async ask(tool, args) {
      client.unclaimed.splice(0);
      lastOwn += 1;
      const line = requestLine(String(lastOwn), 'tools/call', paramsOf(protocol, tool, args));
      return (await client.ask(String(lastOwn), `${line}\n`, 30_000)).message;
    },
    settle: () => Promise.resolve(),
    close: () => endProcess(child),
  };
}

/** Speaks over HTTP: a legacy client says that it cancels, a modern one hangs up. */
export async function openHttpCaller(base: string, protocol: Protocol): Promise<CancellingCaller> {
  const client = openHttpClient(base, 256);
  const session = protocol === 'legacy' ? await openLegacySession(client) : undefined;
  const lines = new Map<number, AbortController>();
  const sending = new Set<Promise<unknown>>();
  let lastOwn = firstOwnId;

  function send(id: number, tool: string, args: object, more: Partial<StartedCall>): Promise<Message> {
    const params = paramsOf(protocol, tool, args, more.wantsProgress === true ? id : undefined);
    const line = new AbortController();
    lines.set(id, line);
    const sent = client.send('/mcp', requestLine(String(id), 'tools/call', params), {
      headers: session ?? modernHeaders('tools/call', tool),
      signal: line.signal,
      limitMs: 60_000,
      onMessage: (message) => more.heard?.(message),
    });
    const over = sent.finally(() => {
      if (lines.get(id) === line) lines.delete(id);
    });
    return over.then(({ messages, headers }) => {
      const isPlain = headers['content-type'] === 'application/json';
      const answer = messages.at(-1) ?? {};
      if (isPlain) more.heard?.(answer);
      return answer;
    });
  }

  function track(promise: Promise<unknown>): void {
    const done = promise.catch(() => undefined).finally(() => sending.delete(done));
    sending.add(done);
  }

  function cancel(id: number): void {
    if (session === undefined) return lines.get(id)?.abort();
    track(sayCancelled(id, lines.get(id)));
  }

  /** On a connection of its own it may overtake its call; then it is said again. */
  async function sayCancelled(id: number, line: AbortController | undefined): Promise<void> {
    const isOpen = (): boolean => line !== undefined && lines.get(id) === line;
    do {
      await client.send('/mcp', cancelText('legacy', id), { headers: { ...mcpHeaders, ...session } });
      const until = performance.now() + 200;
      while (isOpen() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
    } while (isOpen());
  }

  return {
    canCancelAnything: protocol === 'legacy',
    start(call) {
      track(send(call.id, call.tool, call.args, call));
      if (call.isCancelledAtOnce) cancel(call.id);
    },
    cancel,
    ask(tool, args) {
      lastOwn += 1;
      return send(lastOwn, tool, args, {});
    },
    async settle() {
      while (sending.size > 0) await Promise.all(sending);
    },
    async close() {
      await Promise.all(sending);
      client.close();
    },
  };
}
