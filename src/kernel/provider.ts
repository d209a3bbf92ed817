import type { Call, Outcome, Target } from './call.js';
import type { Exchange } from './exchange.js';
import type { Fault } from './fault.js';
import type { JsonText } from './json-text.js';
import type { Catalogue, Source } from './tool.js';

export type Parsed =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly fault: Fault };

export type ProviderState =
  | 'untrusted'
  | 'disabled'
  | 'idle'
  | 'pending'
  | 'ready'
  /** Nobody has logged in to it, or not for all that is wanted of it. */
  | 'login'
  | 'failed'
  | 'stopped';

/** How a provider is doing, for `tidegate servers` and the admin API. */
export interface ProviderStatus {
  readonly state: ProviderState;
  readonly detail?: string;
  readonly pid?: number;
  readonly restarts: number;
  readonly protocolVersion?: string;
}

/** A source of tools, prompts and resources: upstream servers, plugins, our own tools. */
export interface Provider {
  readonly id: string;
  readonly source: Source;
  status(): ProviderStatus;
  /** What is offered, as far as known now. */
  list(): Catalogue;
  /** Resolves when the first list is known or cannot be had; starts the provider if that is what it takes. */
  ready(): Promise<void>;
  /** Reads the arguments once, before the corridor. */
  parse(target: Target, params: JsonText): Parsed;
  call(call: Call, exchange: Exchange): Promise<Outcome>;
  /** True when this provider may know a resource that it did not list. */
  mayHave(uri: string): boolean;
  /** Calls `listener` when the resource changes, until the returned function is called. */
  watch(uri: string, listener: (params: JsonText) => void): Promise<() => void>;
  onChange(listener: () => void): () => void;
  /** The caller's roots changed; upstream servers are told. */
  rootsChanged(): void;
  close(): Promise<void>;
}
