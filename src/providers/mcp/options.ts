import type { Log, Redactor } from '../../ports/log.js';
import type { CheckStart } from '../../ports/start-refusal.js';
import type { Processes } from '../../ports/processes.js';
import type { LoginFiles } from './login/kept-login.js';
import type { LoginSettings } from './login/settings.js';
import type { UpstreamMemory } from './memory-port.js';
import type { RootsRule } from './roots.js';

export type Transport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      /** The complete environment of the child. */
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** If absent, logins are not possible. */
      readonly login?: LoginSettings;
    };

/** Injected so that tests can control time. */
export interface Clock {
  now(): number;
  /** Runs once after `ms`, unless the returned function is called. A quiet timer does not keep the process alive. */
  after(ms: number, run: () => void, quiet?: boolean): () => void;
}

export interface McpProviderOptions {
  /** The configured name of the server. */
  readonly name: string;
  /** Defaults to `server`. With `plugin`, the names and grants of plugins apply. */
  readonly kind?: 'server' | 'plugin';
  readonly transport: Transport;
  /** Cache key. Defaults to the exact transport, including its environment. */
  readonly identity?: string;
  /** Prepended unchanged to each tool and prompt name. */
  readonly prefix: string;
  /** Skeletons of built-in tool names, which no other tool may resemble. */
  readonly reserved?: ReadonlyMap<string, string>;
  /** Whether the operator offers this tool, by the name the server uses. */
  readonly offers: (toolName: string) => boolean;
  readonly timeoutMs: number;
  /** The server is closed after this idle time; 0 means never. */
  readonly idleMs: number;
  readonly protocol: 'auto' | 'legacy' | 'modern';
  /** For plugins: if set, it is not started, for this reason. */
  readonly closed?: { readonly state: 'untrusted' | 'disabled' | 'failed'; readonly why: string };
  /** Checks right before each start whether it is allowed. */
  readonly recheck?: CheckStart;
  readonly trusted: boolean;
  readonly enabled: boolean;
  readonly processes: Processes;
  readonly memory: UpstreamMemory;
  /** The answer when the server asks for roots. If absent, roots are not offered. */
  readonly roots?: RootsRule;
  /** The stored logins. If absent, there are none. */
  readonly logins?: LoginFiles;
  /** False if the process exits before a login in the browser can finish. */
  readonly givesLinks?: boolean;
  /** Our version, which is sent to the server. */
  readonly version: string;
  readonly log: Log;
  /** Creates a redactor for each stream of server output that is shown to people. */
  readonly createRedactor: () => Redactor;
  readonly clock?: Clock;
}

const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run, quiet) {
    // Node treats a longer time as one millisecond.
    const timer = setTimeout(run, Math.min(ms, longestTimerMs));
    if (quiet === true) timer.unref();
    return () => clearTimeout(timer);
  },
};
