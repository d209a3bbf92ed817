import type { Log, Processes, Redactor } from '../../kernel/index.js';
import type { LoginFiles } from './login/kept-login.js';
import type { LoginSettings } from './login/settings.js';
import type { UpstreamMemory } from './memory-port.js';

export type Transport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly cwd: string;
      /** The whole environment of the child. */
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Absent: nobody can log in to it. */
      readonly login?: LoginSettings;
    };

/** Time, so that tests can hold it still. */
export interface Clock {
  now(): number;
  /** Runs once after `ms`, unless the returned function is called. A quiet timer does not keep the process alive. */
  after(ms: number, run: () => void, quiet?: boolean): () => void;
}

export interface McpProviderOptions {
  /** The name under which the server is configured. */
  readonly name: string;
  /** Left out: `server`. As `plugin` it stands among the plugins, under their names and grants. */
  readonly kind?: 'server' | 'plugin';
  readonly transport: Transport;
  /** What is remembered of the server holds for this. Left out: for the exact transport, environment and all. */
  readonly identity?: string;
  /** Put before each tool and prompt name, as it is. */
  readonly prefix: string;
  /** Whether the operator wants this tool, by the server's own name for it. */
  readonly offers: (toolName: string) => boolean;
  readonly timeoutMs: number;
  /** The server is closed when nothing used it for so long; 0 means never. */
  readonly idleMs: number;
  readonly protocol: 'auto' | 'legacy' | 'modern';
  /** Of a plugin: it is not started, and this is why. */
  readonly closed?: { readonly state: 'untrusted' | 'disabled' | 'failed'; readonly why: string };
  /** Looks again, right before each start, whether that may be: a reason says that it may not. */
  readonly recheck?: () => Promise<string | undefined>;
  readonly trusted: boolean;
  readonly enabled: boolean;
  readonly processes: Processes;
  readonly memory: UpstreamMemory;
  /** Folders that the server is told when it asks for roots and no client can say. */
  readonly roots: readonly string[];
  /** Where logins to servers are kept. Absent: there are none. */
  readonly logins?: LoginFiles;
  /** False where the process will be gone before anybody comes back from a browser. */
  readonly givesLinks?: boolean;
  /** Our own version, told to the server. */
  readonly version: string;
  readonly log: Log;
  /** What the server says of itself is shown to people: each stream of it goes through one of these. */
  readonly createRedactor: () => Redactor;
  readonly clock?: Clock;
}

const longestTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run, quiet) {
    // Node takes a longer time for one millisecond.
    const timer = setTimeout(run, Math.min(ms, longestTimerMs));
    if (quiet === true) timer.unref();
    return () => clearTimeout(timer);
  },
};
