import { type ChildProcess, createLineReader, type Line, type ProcessExit } from '../kernel/index.js';
import { type AgentAnswer, AgentFailure, type AgentOrder, type Usage } from './agent.js';
import type { Door } from './cli-parts.js';
import type { AgentCli, CliEvent, LaunchSettings } from './launch.js';

export interface WatchParts {
  readonly cli: AgentCli;
  readonly child: ChildProcess;
  readonly order: AgentOrder;
  readonly door: Door;
  readonly settings: LaunchSettings;
  readonly stdin: string;
}

const longestLine = 64 * 1024 * 1024;
const lastWords = 2000;

interface Seen {
  session: string;
  answer: string | undefined;
  failure: AgentFailure | undefined;
  error: string | undefined;
  usage: Usage;
  turns: number;
  natives: number;
  isTurnOpen: boolean;
}

/** Reads what a CLI says until it ends. A tool of its own that ran ends it at once. */
export async function watchCli(parts: WatchParts): Promise<AgentAnswer> {
  const { cli, child, order, settings, stdin } = parts;
  const seen: Seen = {
    session: '',
    answer: undefined,
    failure: undefined,
    error: undefined,
    usage: { input: 0, output: 0, isEstimated: false },
    turns: 0,
    natives: 0,
    isTurnOpen: false,
  };
  const words = createTail(lastWords);
  const stop = (failure: AgentFailure): void => {
    seen.failure ??= failure;
    void child.close();
  };
  const read = cli.createReader(settings.server);
  const take = createTaker(parts, seen, stop);
  const endOutput = onLines(
    (listener) => child.onOutput(listener),
    (line) => {
      for (const event of read(line)) take(event);
    },
  );
  const endErrors = onLines(
    (listener) => child.onErrorOutput(listener),
    (line) => {
      words.add(line);
      if (cli.fatal?.test(line) === true) stop(failed(cli, line.trim()));
    },
  );
  const exited = new Promise<ProcessExit>((resolve) => child.onExit(resolve));
  const abort = (): void =>
    stop(new AgentFailure('EXECUTION.WORKFLOW.CANCELLED', `${cli.title} was stopped.`));
  order.signal.addEventListener('abort', abort, { once: true });
  if (order.signal.aborted) abort();
  child.write(stdin);
  child.endInput();
  const exit = await exited;
  endOutput();
  endErrors();
  order.signal.removeEventListener('abort', abort);
  // Whatever it started ends too.
  await child.close();
  return answerOf(parts, seen, exit, words.text());
}

/** Reads lines. What it gives ends the last of them, which may have no end of its own. */
function onLines(
  listen: (listener: (chunk: Uint8Array) => void) => void,
  take: (line: string) => void,
): () => void {
  const lines = createLineReader(longestLine);
  const takeAll = (read: readonly Line[]): void => {
    for (const line of read) if (line.kind === 'line') take(line.text);
  };
  listen((chunk) => takeAll(lines.push(chunk)));
  return () => takeAll(lines.end());
}

function createTaker(
  { cli, order, settings }: WatchParts,
  seen: Seen,
  stop: (failure: AgentFailure) => void,
): (event: CliEvent) => void {
  const inputs = new Map<string, unknown>();
  const bypassed = (name: string, input: unknown, text: string): void => {
    order.onEvent({ kind: 'bypass', name, input, text });
    if (order.allowsNative === true) return;
    stop(
      new AgentFailure(
        'EXECUTION.AGENT.BYPASSED',
        `${cli.title} used its own tool ${name} and not the gate.`,
      ),
    );
  };
  return (event) => {
    if (event.kind === 'text' || event.kind === 'use') {
      if (!seen.isTurnOpen) seen.turns += 1;
      seen.isTurnOpen = true;
    }
    switch (event.kind) {
      case 'session':
        seen.session = event.id;
        return;
      case 'offered': {
        const [native] = event.tools.filter(
          (name) => !name.includes(settings.server) && !cli.leftovers.includes(name),
        );
        if (settings.isIsolated && native !== undefined && order.allowsNative !== true)
          stop(
            new AgentFailure('EXECUTION.AGENT.BYPASSED', `${cli.title} still has its own tool ${native}.`),
          );
        else if (!event.isGateThere) stop(failed(cli, 'it did not reach the gate'));
        return;
      }
      case 'text':
        order.onEvent({ kind: 'text', text: event.text });
        return;
      case 'use':
        inputs.set(event.id, event.input);
        return;
      case 'result':
        seen.isTurnOpen = false;
        if (!event.isNative) return;
        seen.natives += 1;
        if (!settings.isIsolated) tellNative(order, event, inputs.get(event.id));
        else if (event.hasRun) bypassed(event.name, inputs.get(event.id), event.text);
        return;
      case 'usage':
        seen.usage = added(seen.usage, event);
        order.onEvent({ kind: 'usage', usage: seen.usage });
        return;
      case 'answer':
        seen.answer = event.text;
        return;
      case 'error':
        seen.error = event.message;
    }
  };
}

/** In additive mode its own tools are its own affair: they are told, and nothing more. */
function tellNative(
  { onEvent }: AgentOrder,
  { id, name, text, hasRun }: Extract<CliEvent, { readonly kind: 'result' }>,
  input: unknown,
): void {
  onEvent({ kind: 'call', id, name, input, isNative: true });
  onEvent({ kind: 'result', id, name, text, isError: !hasRun, ms: 0, isNative: true });
}

function added(a: Usage, { input, output, cost }: Extract<CliEvent, { readonly kind: 'usage' }>): Usage {
  const sum = a.cost === undefined && cost === undefined ? undefined : (a.cost ?? 0) + (cost ?? 0);
  return {
    input: a.input + input,
    output: a.output + output,
    isEstimated: false,
    ...(sum !== undefined && { cost: sum }),
  };
}

function answerOf(
  { cli, door, order, settings }: WatchParts,
  seen: Seen,
  { code, signal }: ProcessExit,
  words: string,
): AgentAnswer {
  if (seen.failure !== undefined) throw seen.failure;
  if (seen.error !== undefined) throw failed(cli, seen.error);
  if (code !== 0) {
    const how = signal === null ? `it ended with exit code ${String(code)}` : `it was ended by ${signal}`;
    throw failed(cli, words === '' ? how : `${how}: ${words}`);
  }
  if (settings.isIsolated && door.entered() === 0) throw failed(cli, 'it never came to the gate');
  if (seen.answer === undefined) throw failed(cli, 'it ended without an answer');
  order.onEvent({ kind: 'message', role: 'assistant', text: seen.answer });
  return {
    text: seen.answer,
    usage: seen.usage,
    turns: Math.max(seen.turns, 1),
    toolCalls: door.calls() + seen.natives,
    conversation: [{ cli: cli.name, session: seen.session }],
  };
}

function failed(cli: AgentCli, why: string): AgentFailure {
  return new AgentFailure('EXECUTION.AGENT.FAILED', `${cli.title} failed: ${why}.`.replace(/\.\.$/, '.'));
}

/** The last of what was said. */
function createTail(most: number): { add(line: string): void; text(): string } {
  let kept = '';
  return {
    add: (line) => {
      kept = `${kept}${line}\n`.slice(-most);
    },
    text: () => kept.trim(),
  };
}
