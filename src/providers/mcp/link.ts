import type { Era, Frame } from '../../kernel/index.js';

/** What HTTP mirrors into headers about a request; stdio has no use for it. */
export interface About {
  readonly method: string;
  /** The tool, prompt or address that the request is about. */
  readonly name?: string;
  readonly paramHeaders?: Readonly<Record<string, string>>;
}

/** Why a request that was sent gets no JSON-RPC answer. */
export type LinkFailure =
  /** The session is unknown to the server: nothing was carried out. */
  | { readonly kind: 'stale' }
  /** Nothing was carried out, as far as can be known. */
  | { readonly kind: 'refused'; readonly detail: string; readonly status?: number }
  /** Nothing was carried out: somebody must log in first. */
  | { readonly kind: 'login' }
  /** The request may have been carried out. */
  | { readonly kind: 'lost'; readonly detail: string }
  | { readonly kind: 'malformed'; readonly detail: string };

export interface LinkEvents {
  /** `carrier` is the id of our request whose own stream brought the message; stdio has no such streams. */
  frame(frame: Frame, carrier: number | undefined): void;
  failed(id: number, failure: LinkFailure): void;
  /** Called once, when the link is gone for good without having been closed by us. */
  closed(detail: string): void;
}

/** One way to one server: a child's pipes or an HTTP endpoint. */
export interface Link {
  readonly pid: number | undefined;
  /** Takes a message; false when too much waits to be sent already. `id` is set for requests only. */
  send(text: string, id?: number, about?: About): boolean;
  /** Stops a request that was sent, ahead of everything that still waits. */
  cancel(id: number, reason: string): void;
  /** Lets go of a request without a word to the server. */
  abandon(id: number): void;
  /** From now on this is what is spoken. */
  agree(era: Era, protocolVersion: string): void;
  /** Forgets the session, so that the next message opens a new one. */
  forget(): void;
  close(): Promise<void>;
}

/** One message, in and out, may be so long. */
export const maxMessageBytes = 64 * 1024 * 1024;
