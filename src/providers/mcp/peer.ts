import type { Call, Era, Exchange, JsonText, Outcome } from '../../kernel/index.js';
import type { Reply } from './in-flight.js';
import { isRecord } from './is-record.js';

export { isRecord };

export type ListName = 'tools' | 'prompts' | 'resources' | 'templates';

/** What a server said that it can do, as far as it matters here. */
export interface ServerAbilities {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly subscribe: boolean;
  readonly logging: boolean;
  readonly listChanged: { readonly tools: boolean; readonly prompts: boolean; readonly resources: boolean };
}

/** A server that was opened, in whichever era. */
export interface Peer {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly pid: number | undefined;
  readonly abilities: ServerAbilities;
  readonly instructions: string | undefined;
  call(call: Call, exchange: Exchange): Promise<Outcome>;
  /** One page of a list. */
  listPage(list: ListName, cursor: string | undefined): Promise<Reply>;
  /** Makes the server tell of changes of exactly these resources; resolves when it was told, or cannot be. */
  watchOnly(uris: readonly string[]): Promise<void>;
  rootsChanged(): void;
  isBusy(): boolean;
  /** When a request was last sent or answered. */
  lastUse(): number;
  close(): Promise<void>;
}

/** What a server says unasked. */
export interface PeerEvents {
  listChanged(list: 'tools' | 'prompts' | 'resources'): void;
  resourceUpdated(uri: string, params: JsonText): void;
  unattributable(): void;
  closed(detail: string): void;
  /** The session was opened again: what was known of the server may be out of date. */
  renewed(): void;
}

/** Requests of our own, such as lists, have their own time limit: the one for calls may be hours. */
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
