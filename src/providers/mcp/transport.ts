import type { Protocol } from '../../core/index.js';
import type { Frame } from '../../lib/json-rpc.js';

/** Facts about a request that HTTP mirrors into headers. Not used by stdio. */
export interface About {
  readonly method: string;
  /** The tool, prompt or resource URI of the request. */
  readonly name?: string;
  readonly paramHeaders?: Readonly<Record<string, string>>;
}

/** Why a request got no JSON-RPC response. */
export type TransportFailure =
  /** The session is unknown to the server. Nothing was executed. */
  | { readonly kind: 'stale' }
  /** Nothing was executed, as far as we know. */
  | { readonly kind: 'refused'; readonly detail: string; readonly status?: number }
  /** Nothing was executed, because a login is required. */
  | { readonly kind: 'login' }
  /** The request may have been executed. */
  | { readonly kind: 'lost'; readonly detail: string }
  | { readonly kind: 'malformed'; readonly detail: string };

export interface TransportEvents {
  /** `carrier` is the id of the request whose stream delivered the message. Undefined for stdio. */
  frame(frame: Frame, carrier: number | undefined): void;
  failed(id: number, failure: TransportFailure): void;
  /** Called once if the connection is lost for good without being closed by us. */
  closed(detail: string): void;
}

/** The connection to one server: the pipes of a child, or an HTTP endpoint. */
export interface Transport {
  readonly pid: number | undefined;
  /** How many places its requests may use at once, if that is limited: see `requestPlaces`. */
  readonly places?: number;
  /** Queues a message; false if the queue is full. `id` is set for requests only. */
  send(text: string, id?: number, about?: About): boolean;
  /** Cancels a request, ahead of everything in the queue. */
  cancel(id: number, reason: string): void;
  /** Forgets a request without notifying the server. */
  abandon(id: number): void;
  /** Sets the negotiated protocol version. */
  agree(protocol: Protocol, protocolVersion: string): void;
  /** Forgets the session, so that the next message opens a new one. */
  forget(): void;
  close(): Promise<void>;
}

/** The size limit of one message in either direction. */
export const maxMessageBytes = 64 * 1024 * 1024;

const bytesOfPlace = 256 * 1024;

/** The places that a request takes until it is answered: one, and more if it is long. */
export function requestPlaces(text: string): number {
  return 1 + Math.floor(text.length / bytesOfPlace);
}
