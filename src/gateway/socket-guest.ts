import type { Session } from '../core/index.js';
import type { Gateway } from './gateway.js';

/** Who comes in with a ticket. */
export interface SocketGuest {
  readonly gateway: Gateway;
  readonly session: Session;
  /** Told how to put it out again. */
  readonly onEnter?: (leave: () => void) => void;
}

export interface SocketServer {
  close(): Promise<void>;
}
