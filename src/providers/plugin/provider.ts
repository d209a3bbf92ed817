import { isRecord } from '../../lib/is-record.js';
import {
  type Call,
  createFault,
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
import { type PluginOptions, usualLimits } from './options.js';
import { pluginFacts } from './plugin-facts.js';
import { createPluginOffer } from './plugin-offer.js';
import { openSupervisor, type Supervisor } from './supervisor.js';

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
  const { name, log } = options;
  const limits = { ...usualLimits, ...options.limits };
  const offered = createPluginOffer(options);

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
    onLive: (plugin) => offered.accept(plugin.offer),
  });

  async function use(signal: AbortSignal | undefined): Promise<LivePlugin | Fault> {
    return closedFault(options) ?? supervisor.use(signal);
  }

  async function call({ target, params }: Call, exchange: Exchange): Promise<Outcome> {
    if (target.kind !== 'tool') return faulted(createFault('internal', 'Plugins provide only tools.'));
    const { localName: operation, name: tool } = target.spec;
    const plugin = supervisor.live ?? (await use(exchange.signal));
    if (isFault(plugin)) return faulted(plugin);
    if (offered.hasChanged(operation)) return faulted(changedFault(name, operation));
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
      return faulted(faultOf(options, failure, await doubtIn(supervisor, plugin, failure)));
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
    list: () => offered.catalogue,
    async ready() {
      if (options.closed === undefined && offered.current === undefined) await use(undefined);
    },
    parse,
    call,
    mayHave: () => false,
    watch: () => Promise.resolve(() => undefined),
    onChange: (listener) => offered.onChange(listener),
    close: () => supervisor.close(),
    facts: () => pluginFacts(options, supervisor.status()),
    async offer(signal) {
      if (offered.current !== undefined) return offered.current;
      const plugin = await use(signal);
      return isFault(plugin) ? plugin : plugin.offer;
    },
    use,
    doubt: (plugin, failure) => doubtIn(supervisor, plugin, failure),
  };
}

/** Ends a plugin that no longer answers. Returns how it exited, if it did. */
async function doubtIn(
  supervisor: Supervisor,
  plugin: LivePlugin,
  failure: unknown,
): Promise<string | undefined> {
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

export function isFault(value: object): value is Fault {
  return 'code' in value && 'message' in value;
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
