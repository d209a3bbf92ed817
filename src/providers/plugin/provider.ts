import { isRecord } from '../../lib/is-record.js';
import {
  type Call,
  type Catalogue,
  createFault,
  emptyCatalogue,
  type Exchange,
  type Fault,
  faulted,
  type Outcome,
  type Parsed,
  type Provider,
  type Target,
} from '../../core/index.js';
import { hasDuplicateKeys, type JsonText, membersOf, textOf } from '../../lib/json-text.js';
import type { PluginFacts } from '../../ports/plugins.js';
import { handshake, operationService } from '../../plugin-protocol/index.js';
import { CallFailure, faultOf } from './call-failure.js';
import { outcomeOf } from './execute-result.js';
import { largestAnswer } from './largest-answer.js';
import type { LivePlugin } from './live-plugin.js';
import type { RawOffer } from './offer-memory.js';
import { toolsOf } from './operation-tool.js';
import { type PluginOptions, usualLimits } from './options.js';
import { pluginFacts } from './plugin-facts.js';
import { openSupervisor } from './supervisor.js';

/** A plugin as a tool provider, with access to the plugin for other uses. */
export interface PluginProvider extends Provider {
  readonly options: PluginOptions;
  facts(): PluginFacts;
  /** What the plugin lists, from the cache or by starting it. */
  offer(signal: AbortSignal): Promise<RawOffer | Fault>;
  /** The running plugin. Starts it if necessary. */
  use(signal: AbortSignal | undefined): Promise<LivePlugin | Fault>;
  /** Call it after a failed request: ends a plugin that no longer answers. Returns how it exited, if it did. */
  doubt(plugin: LivePlugin, failure: unknown): Promise<string | undefined>;
}

/** After a broken connection, wait this long for the exit status, which is a better explanation. */
const brokenMs = 1_000;

/** Opens one plugin as a provider. It starts on the first call, or for a list that is not cached. */
export function openPluginProvider(options: PluginOptions): PluginProvider {
  const { name, log, memory, identity } = options;
  const limits = { ...usualLimits, ...options.limits };
  const listeners = new Set<() => void>();
  let offer = options.closed === undefined ? memory.read(identity) : undefined;
  let catalogue = catalogueOf(options, offer);
  /** Set once a process of this gateway has listed operations. Names and schemas stay fixed from then on. */
  let isFrozen = false;
  let changed: ReadonlySet<string> = new Set();

  const supervisor = openSupervisor({
    name,
    pauseMs: limits.pauseMs,
    log,
    redact: (text) => options.createRedactor()(text),
    async open(signal, lost) {
      // gRPC is large, so load it when the first plugin starts.
      const { openLivePlugin } = await import('./live-plugin.js');
      return openLivePlugin(options, limits, signal, lost);
    },
    onLive: (plugin) => accept(plugin.offer),
  });

  function accept(next: RawOffer): void {
    if (isFrozen) {
      changed = changedIn(offer, next);
      if (changed.size > 0)
        log('warn', 'the plugin lists different operations than before; changed operations are not called', {
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
      await supervisor.giveUpOn(plugin, 'its connection was lost', brokenMs);
      return supervisor.status().detail;
    }
    if (kind !== 'timeout') return undefined;
    void plugin.isHealthy().then((isHealthy) => {
      if (!isHealthy) void supervisor.giveUpOn(plugin, 'it no longer answers');
    });
    return undefined;
  }

  async function call({ target, params }: Call, exchange: Exchange): Promise<Outcome> {
    if (target.kind !== 'tool') return faulted(createFault('internal', 'Plugins provide only tools.'));
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
    prefix: `${name}_`,
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

/** Parses the arguments for the stages. The plugin validates them itself. */
function parse(_target: Target, params: JsonText): Parsed {
  const { arguments: given = {} } = params.value as { readonly arguments?: unknown };
  if (isRecord(given)) return { ok: true, input: given };
  return { ok: false, fault: createFault('input.invalid', 'The arguments must be an object.') };
}

/** Each argument as the exact text that the caller sent. */
function inputsOf(params: JsonText): ReadonlyMap<string, Uint8Array> | Fault {
  const text = textOf(params.text, params.members, 'arguments');
  if (text === undefined || text === 'null') return new Map();
  const members = membersOf(text);
  if (hasDuplicateKeys(members))
    return createFault('input.invalid', 'An argument is duplicated. Send each argument once.');
  // Keys and framing add a few bytes; the plugin would refuse anything that is refused here.
  const bytes = Buffer.byteLength(text);
  if (bytes > handshake.largestRequest - 1024)
    return createFault(
      'input.invalid',
      `The arguments are too large (${String(bytes)} bytes). A plugin accepts up to 4 MiB.`,
      {
        reason: 'too_large',
        suggestion: 'Send less data per call.',
      },
    );
  return new Map(members.map(({ key, start, end }) => [key, Buffer.from(text.slice(start, end))]));
}

function changedFault(plugin: string, operation: string): Fault {
  return createFault(
    'provider.unavailable',
    `The plugin ${plugin} has changed its operation ${operation} since Tidegate started.`,
    { suggestion: 'Ask the operator to check the plugin and restart Tidegate.' },
  );
}

const closedCodes = {
  untrusted: 'provider.untrusted',
  disabled: 'provider.disabled',
  failed: 'provider.unavailable',
} as const;

function closedFault({ name, closed }: PluginOptions): Fault | undefined {
  if (closed === undefined) return undefined;
  return createFault(closedCodes[closed.state], `The plugin ${name} is not used: ${closed.why}.`, {
    suggestion: `Ask the operator to run \`tidegate plugin show ${name}\`.`,
  });
}
