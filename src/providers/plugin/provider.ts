import {
  type Call,
  type Catalogue,
  createFault,
  emptyCatalogue,
  type Exchange,
  type Fault,
  faulted,
  hasDuplicateKeys,
  type JsonText,
  membersOf,
  type Outcome,
  type Parsed,
  type PluginFacts,
  type Provider,
  type Target,
  textOf,
} from '../../kernel/index.js';
import { handshake, operationService } from '../../kernel/plugin-protocol/index.js';
import { CallFailure, faultOf } from './call-failure.js';
import { outcomeOf } from './execute-result.js';
import { largestAnswer } from './largest-answer.js';
import type { LivePlugin } from './live-plugin.js';
import type { RawOffer } from './offer-memory.js';
import { toolsOf } from './operation-tool.js';
import { type PluginOptions, usualLimits } from './options.js';
import { pluginFacts } from './plugin-facts.js';
import { openSupervisor } from './supervisor.js';

/** A plugin as a provider of tools, and as itself for whoever needs more of it. */
export interface PluginProvider extends Provider {
  readonly options: PluginOptions;
  facts(): PluginFacts;
  /** What it lists: as known, or by starting it. */
  offer(signal: AbortSignal): Promise<RawOffer | Fault>;
  /** The running plugin, started if need be. */
  use(signal: AbortSignal | undefined): Promise<LivePlugin | Fault>;
  /** To be called when a question went wrong: one that no longer answers is ended. Tells how, if it went away. */
  doubt(plugin: LivePlugin, failure: unknown): Promise<string | undefined>;
}

/** Who breaks off in the middle of a call has mostly died, and its exit says more than the broken line. */
const brokenMs = 1_000;

/** One plugin as a provider. Nothing starts before somebody calls, or wants a list that nobody knows. */
export function openPluginProvider(options: PluginOptions): PluginProvider {
  const { name, log, memory, identity } = options;
  const limits = { ...usualLimits, ...options.limits };
  const listeners = new Set<() => void>();
  let offer = options.closed === undefined ? memory.read(identity) : undefined;
  let catalogue = catalogueOf(options, offer);
  /** Listed by a process of this gate: from here on names and schemas stay. */
  let isFrozen = false;
  let changed: ReadonlySet<string> = new Set();

  const supervisor = openSupervisor({
    name,
    pauseMs: limits.pauseMs,
    log,
    redact: (text) => options.createRedactor()(text),
    async open(signal, lost) {
      // gRPC is large: it comes with the first plugin that starts.
      const { openLivePlugin } = await import('./live-plugin.js');
      return openLivePlugin(options, limits, signal, lost);
    },
    onLive: (plugin) => accept(plugin.offer),
  });

  function accept(next: RawOffer): void {
    if (isFrozen) {
      changed = changedIn(offer, next);
      if (changed.size > 0)
        log('warn', 'the plugin lists other operations than before: those are not called', {
          operations: [...changed],
        });
      return;
    }
    isFrozen = true;
    if (offer !== undefined && JSON.stringify(offer) === JSON.stringify(next)) return;
    offer = next;
    catalogue = catalogueOf(options, next);
    memory.write(identity, next);
    for (const listener of [...listeners]) listener();
  }

  async function use(signal: AbortSignal | undefined): Promise<LivePlugin | Fault> {
    return closedFault(options) ?? supervisor.use(signal);
  }

  async function doubt(plugin: LivePlugin, failure: unknown): Promise<string | undefined> {
    const kind = failure instanceof CallFailure ? failure.kind : undefined;
    if (kind === 'unavailable') {
      await supervisor.giveUpOn(plugin, 'its connection broke', brokenMs);
      return supervisor.status().detail;
    }
    if (kind !== 'timeout') return undefined;
    void plugin.isHealthy().then((isHealthy) => {
      if (!isHealthy) void supervisor.giveUpOn(plugin, 'it no longer answers');
    });
    return undefined;
  }

  async function call({ target, params }: Call, exchange: Exchange): Promise<Outcome> {
    if (target.kind !== 'tool') return faulted(createFault('internal', 'Plugins have tools only.'));
    const { localName: operation, name: tool } = target.spec;
    const plugin = supervisor.live ?? (await use(exchange.signal));
    if (isFault(plugin)) return faulted(plugin);
    if (changed.has(operation)) return faulted(changedFault(name, operation));
    const inputs = inputsOf(params);
    if (isFault(inputs)) return faulted(inputs);
    try {
      const limit = { ms: options.timeoutMs, signal: exchange.signal, mostBytes: largestAnswer };
      return outcomeOf(
        tool,
        await plugin.channel.call(operationService.execute, { operation, inputs }, limit),
        options.withoutSecrets,
      );
    } catch (failure) {
      return faulted(faultOf(options, failure, await doubt(plugin, failure)));
    }
  }

  return {
    id: `plugin:${name}`,
    source: `plugin:${name}`,
    options,
    status: () =>
      options.closed
        ? { state: options.closed.state, detail: options.closed.why, restarts: 0 }
        : supervisor.status(),
    list: () => catalogue,
    async ready() {
      if (options.closed === undefined && offer === undefined) await use(undefined);
    },
    parse,
    call,
    mayHave: () => false,
    watch: () => Promise.resolve(() => undefined),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    rootsChanged: () => undefined,
    close: () => supervisor.close(),
    facts: () => pluginFacts(options, supervisor.status()),
    async offer(signal) {
      if (offer !== undefined) return offer;
      const plugin = await use(signal);
      return isFault(plugin) ? plugin : plugin.offer;
    },
    use,
    doubt,
  };
}

export function isFault(value: object): value is Fault {
  return 'code' in value && 'message' in value;
}

function catalogueOf({ name, offers, log }: PluginOptions, offer: RawOffer | undefined): Catalogue {
  if (offer === undefined) return emptyCatalogue;
  const wanted = offer.operations.filter((operation) => offers(operation.name));
  return {
    ...emptyCatalogue,
    tools: toolsOf(name, wanted, (message, fields) => log('warn', message, fields)),
  };
}

function changedIn(before: RawOffer | undefined, after: RawOffer): ReadonlySet<string> {
  const now = new Map(after.operations.map((one) => [one.name, JSON.stringify(one)]));
  const gone = (before?.operations ?? []).filter((one) => now.get(one.name) !== JSON.stringify(one));
  return new Set(gone.map((one) => one.name));
}

/** What the stages see of the arguments. What the plugin makes of them is its own affair. */
function parse(_target: Target, params: JsonText): Parsed {
  const { arguments: given = {} } = params.value as { readonly arguments?: unknown };
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return { ok: true, input: given };
  return { ok: false, fault: createFault('input.invalid', 'The arguments must be an object.') };
}

/** Each argument as the very text that the caller sent. */
function inputsOf(params: JsonText): ReadonlyMap<string, Uint8Array> | Fault {
  const text = textOf(params.text, params.members, 'arguments');
  if (text === undefined || text === 'null') return new Map();
  const members = membersOf(text);
  if (hasDuplicateKeys(members))
    return createFault('input.invalid', 'An argument stands twice: send each once.');
  // Keys and frames take a few bytes more; what is refused here would be refused by the plugin.
  const bytes = Buffer.byteLength(text);
  if (bytes > handshake.largestRequest - 1024)
    return createFault(
      'input.invalid',
      `The arguments have ${String(bytes)} bytes, and a plugin takes 4 MiB at once.`,
      {
        reason: 'too_large',
        suggestion: 'Send less at once.',
      },
    );
  return new Map(members.map(({ key, start, end }) => [key, Buffer.from(text.slice(start, end))]));
}

function changedFault(plugin: string, operation: string): Fault {
  return createFault(
    'provider.unavailable',
    `The plugin ${plugin} changed its operation ${operation} since this gate started.`,
    { suggestion: 'Ask the operator to look at the plugin and to start the gate again.' },
  );
}

function closedFault({ name, closed }: PluginOptions): Fault | undefined {
  if (closed === undefined) return undefined;
  const code = closed.state === 'untrusted' ? 'provider.untrusted' : 'provider.unavailable';
  return createFault(code, `The plugin ${name} is not used: ${closed.why}.`, {
    suggestion: `Ask the operator to run \`tidegate plugin show ${name}\`.`,
  });
}
