import type { Call, Outcome, Target } from './call.js';
import type { Exchange } from './exchange.js';
import type { Fault } from './fault.js';
import type { JsonText } from '../lib/json-text.js';
import type { Catalogue, Source } from './tool.js';

export type Parsed =
  | {
      readonly ok: true;
      readonly input: unknown;
      /** Arguments that were ignored; the result names them. */
      readonly ignored?: readonly string[];
    }
  | { readonly ok: false; readonly fault: Fault };

export type ProviderState =
  | 'untrusted'
  | 'disabled'
  | 'idle'
  | 'pending'
  | 'ready'
  /** Login is missing or lacks permissions. */
  | 'login'
  | 'failed'
  | 'stopped';

/** The status of a provider, for `tidegate servers` and the admin API. */
export interface ProviderStatus {
  readonly state: ProviderState;
  readonly detail?: string;
  readonly pid?: number;
  readonly restarts: number;
  readonly protocolVersion?: string;
}

/** A source of tools, prompts and resources: an upstream server, a plugin, or the built-in tools. */
export interface Provider {
  readonly id: string;
  readonly source: Source;
  /** Prefix of its tool and prompt names. Names with this prefix are reserved for this provider. */
  readonly prefix?: string;
  status(): ProviderStatus;
  /** What is offered, as far as known. */
  list(): Catalogue;
  /** Resolves when the first list is known or has failed. Starts the provider if necessary. */
  ready(): Promise<void>;
  /** Parses the arguments once, before the pipeline. */
  parse(target: Target, params: JsonText): Parsed;
  call(call: Call, exchange: Exchange): Promise<Outcome>;
  /** True if this provider may serve resources that it did not list. */
  mayHave(uri: string): boolean;
  /** Calls `listener` when the resource changes, until the returned function is called. */
  watch(uri: string, listener: (params: JsonText) => void): Promise<() => void>;
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
