import type { Call, Protocol, Exchange, Outcome } from '../../core/index.js';
import type { JsonText } from '../../lib/json-text.js';
import type { Reply } from './in-flight.js';
import { isRecord } from '../../lib/is-record.js';

export { isRecord };

export type ListName = 'tools' | 'prompts' | 'resources' | 'templates';

/** The server capabilities that matter here. */
export interface ServerAbilities {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly subscribe: boolean;
  readonly logging: boolean;
  readonly listChanged: { readonly tools: boolean; readonly prompts: boolean; readonly resources: boolean };
}

/** An open server, with any protocol version. */
export interface Peer {
  readonly protocol: Protocol;
  readonly protocolVersion: string;
  readonly pid: number | undefined;
  readonly abilities: ServerAbilities;
  readonly instructions: string | undefined;
  call(call: Call, exchange: Exchange): Promise<Outcome>;
  /** One page of a list. */
  listPage(list: ListName, cursor: string | undefined): Promise<Reply>;
  /** Subscribes to exactly these resources. Resolves when done, even if the server does not support it. */
  watchOnly(uris: readonly string[]): Promise<void>;
  isBusy(): boolean;
  /** When a request was last sent or answered. */
  lastUse(): number;
  close(): Promise<void>;
}

/** Unsolicited events from a server. */
export interface PeerEvents {
  listChanged(list: 'tools' | 'prompts' | 'resources'): void;
  resourceUpdated(uri: string, params: JsonText): void;
  unattributable(): void;
  /** The server cannot ask any caller, because it never answered abandoned calls. */
  blocked(): void;
  /** A principal left a question open while other callers had to be asked. */
  held(principal: string): void;
  closed(detail: string): void;
  /** The session was reopened, so knowledge of the server may be outdated. */
  renewed(): void;
}

/** The time limit for our own requests, such as lists. The one for calls may be hours. */
export const ownRequestMs = 30_000;

export const listMethods: Readonly<Record<ListName, string>> = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  templates: 'resources/templates/list',
};

export function readAbilities(capabilities: unknown): ServerAbilities {
  const part = (name: string): Readonly<Record<string, unknown>> | undefined => {
    const value = isRecord(capabilities) ? capabilities[name] : undefined;
    return isRecord(value) ? value : undefined;
  };
  const [tools, prompts, resources] = [part('tools'), part('prompts'), part('resources')];
  return {
    tools: tools !== undefined,
    prompts: prompts !== undefined,
    resources: resources !== undefined,
    subscribe: resources?.['subscribe'] === true,
    logging: part('logging') !== undefined,
    listChanged: {
      tools: tools?.['listChanged'] === true,
      prompts: prompts?.['listChanged'] === true,
      resources: resources?.['listChanged'] === true,
    },
  };
}
