import type { Session } from '../core/index.js';
import type { Gateway } from './gateway.js';

/** The caller behind a ticket. */
export interface SocketGuest {
  readonly gateway: Gateway;
  readonly session: Session;
  /** Receives a function that disconnects the caller. */
  readonly onEnter?: (leave: () => void) => void;
}

export interface SocketServer {
  close(): Promise<void>;
}
