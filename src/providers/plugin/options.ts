import type { Log, PluginCapability, Processes, ProviderState, Redactor } from '../../kernel/index.js';
import type { OfferMemory } from './offer-memory.js';

/** How to start a plugin. Nothing of the gate's own environment goes along but what stands here. */
export interface PluginProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface PluginOptions {
  readonly name: string;
  /** Of the manifest, where there is one. */
  readonly version?: string;
  readonly capabilities: readonly PluginCapability[];
  readonly program: PluginProgram;
  /** What `Init` is told. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Patterns of event types, as the manifest has them. */
  readonly events: { readonly subscribe: readonly string[]; readonly emit: readonly string[] };
  /** Whether the operator wants this operation as a tool. */
  readonly offers: (operation: string) => boolean;
  readonly timeoutMs: number;
  /** Set: it is not started, and this is why. */
  readonly closed?: {
    readonly state: Extract<ProviderState, 'untrusted' | 'disabled' | 'failed'>;
    readonly why: string;
  };
  /** Looks again whether the program is what was trusted, right before each start: a reason says that it is not. */
  readonly recheck: () => Promise<string | undefined>;
  /** What is remembered of the plugin holds for this. */
  readonly identity: string;
  readonly memory: OfferMemory;
  readonly processes: Processes;
  /** Where folders for sockets are made. */
  readonly socketHome: string;
  /** Plain text on the socket, to look at it while something is wrong. */
  readonly isPlain?: boolean;
  readonly log: Log;
  readonly createRedactor: () => Redactor;
  /** Takes out what the operator gave to the plugin: for what it says when something went wrong. */
  readonly withoutSecrets: Redactor;
  readonly limits?: Partial<PluginLimits>;
}

export interface PluginLimits {
  /** From the start to the handshake line. Plugins that look for a broker take more than five seconds. */
  readonly handshakeMs: number;
  readonly initMs: number;
  /** For each small question: who it is, what it lists, how it is. */
  readonly questionMs: number;
  readonly shutdownMs: number;
  readonly controllerMs: number;
  readonly termMs: number;
  /** The first pause after a failure; each is twice as long. */
  readonly pauseMs: number;
}

export const usualLimits: PluginLimits = {
  handshakeMs: 15_000,
  initMs: 15_000,
  questionMs: 5_000,
  // With the time to TERM, all of it stays below the five seconds in which nothing of a gate may be left.
  shutdownMs: 1_500,
  controllerMs: 1_000,
  termMs: 1_000,
  pauseMs: 250,
};
