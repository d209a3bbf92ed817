import { AgentFailure, type AgentOrder, type Usage } from './agent.js';
import { failed } from './cli-failure.js';
import type { AgentCli, CliEvent, LaunchSettings } from './launch.js';

export interface TakeParts {
  readonly cli: AgentCli;
  readonly order: AgentOrder;
  readonly settings: LaunchSettings;
}

/** What a CLI has reported so far. */
export interface Seen {
  session: string;
  answer: string | undefined;
  failure: AgentFailure | undefined;
  error: Extract<CliEvent, { readonly kind: 'error' }> | undefined;
  usage: Usage;
  turns: number;
  natives: number;
  isTurnOpen: boolean;
}

export function newSeen(): Seen {
  return {
    session: '',
    answer: undefined,
    failure: undefined,
    error: undefined,
    usage: { input: 0, output: 0, isEstimated: false },
    turns: 0,
    natives: 0,
    isTurnOpen: false,
  };
}

/** Handles CLI events one at a time. */
export function createTaker(
  { cli, order, settings }: TakeParts,
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
        `${cli.title} used its own tool ${name} instead of Tidegate.`,
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
        else if (!event.isConnected) stop(failed(cli, 'it did not connect to Tidegate'));
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
        // It finished despite earlier errors.
        seen.error = undefined;
        return;
      case 'retry':
        order.onEvent(retryOf(event));
        return;
      case 'error':
        seen.error = event;
    }
  };
}

function retryOf({
  reason,
  waitMs,
}: Extract<CliEvent, { readonly kind: 'retry' }>): Parameters<AgentOrder['onEvent']>[0] {
  return { kind: 'retry', reason, ...(waitMs !== undefined && { waitMs }) };
}

/** In additive mode, calls to its own tools are only reported. */
function tellNative(
  { onEvent }: AgentOrder,
  { id, name, text, hasRun, isRefused }: Extract<CliEvent, { readonly kind: 'result' }>,
  input: unknown,
): void {
  onEvent({ kind: 'call', id, name, input, isNative: true });
  const isError = !hasRun || isRefused === true;
  onEvent({
    kind: 'result',
    id,
    name,
    text,
    isError,
    ms: 0,
    isNative: true,
    ...(isRefused && { isRefused }),
  });
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
