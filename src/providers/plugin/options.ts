import type { Log, Redactor } from '../../ports/log.js';
import type { PluginCapability } from '../../ports/plugins.js';
import type { Processes } from '../../ports/processes.js';
import type { CheckStart } from '../../ports/start-refusal.js';
import type { ProviderState } from '../../core/index.js';
import type { OfferMemory } from './offer-memory.js';

/** How to start a plugin. It inherits no environment variables except those listed here. */
export interface PluginProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface PluginOptions {
  readonly name: string;
  /** From the manifest, if there is one. */
  readonly version?: string;
  readonly capabilities: readonly PluginCapability[];
  readonly program: PluginProgram;
  /** The settings for `Init`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Event type patterns from the manifest. */
  readonly events: { readonly subscribe: readonly string[]; readonly emit: readonly string[] };
  /** Whether the operator exposes this operation as a tool. */
  readonly offers: (operation: string) => boolean;
  readonly timeoutMs: number;
  /** If set, the plugin is not started, for this reason. */
  readonly closed?: {
    readonly state: Extract<ProviderState, 'untrusted' | 'disabled' | 'failed'>;
    readonly why: string;
  };
  /** Checks right before each start that the program is still what was trusted. */
  readonly recheck: CheckStart;
  /** Cache key for what is known about the plugin. */
  readonly identity: string;
  readonly memory: OfferMemory;
  readonly processes: Processes;
  /** The folder in which socket folders are created. */
  readonly socketHome: string;
  /** Use the socket without TLS, for debugging. */
  readonly isPlain?: boolean;
  readonly log: Log;
  readonly createRedactor: () => Redactor;
  /** Redacts the plugin's settings from its error messages. */
  readonly withoutSecrets: Redactor;
  readonly limits?: Partial<PluginLimits>;
}

export interface PluginLimits {
  /** From the start to the handshake line. Plugins that connect to a broker can take more than five seconds. */
  readonly handshakeMs: number;
  readonly initMs: number;
  /** For each small request: info, lists, health. */
  readonly questionMs: number;
  readonly shutdownMs: number;
  readonly controllerMs: number;
  readonly termMs: number;
  /** The first pause after a failure; each further pause doubles. */
  readonly pauseMs: number;
}

export const usualLimits: PluginLimits = {
  handshakeMs: 15_000,
  initMs: 15_000,
  questionMs: 5_000,
  // Together with the time until SIGTERM, this stays below the five seconds in which a gateway must be gone.
  shutdownMs: 1_500,
  controllerMs: 1_000,
  termMs: 1_000,
  pauseMs: 250,
};
