import { withoutSecrets } from './hidden.js';

/** What the operator says about the login to a server. */
export interface LoginSettings {
  /** A client that was registered by hand. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** A client id metadata document: its address is the client id. */
  readonly clientDocument?: string;
  /** The only authorization server that is asked. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  /** Where on 127.0.0.1 the browser comes back to; 0: any free port. */
  readonly port?: number;
}

/** Why a login came to nothing, in words for people. Never holds a secret. */
export class LoginFailure extends Error {
  readonly reason: LoginReason;
  /** What to do about it, where that is not the same for all of this reason. */
  readonly next: string | undefined;

  constructor(reason: LoginReason, message: string, next?: string) {
    super(message);
    this.reason = reason;
    this.next = next;
  }
}

export type LoginReason =
  /** The server wants no login, as far as can be seen. */
  | 'none'
  /** The server or its authorization server does not do what is needed, or is not who it says. */
  | 'unfit'
  /** Somebody could not be reached, or gave no answer in time. */
  | 'unreachable'
  /** The authorization server or the person said no. */
  | 'denied'
  /** Nobody came back within the time. */
  | 'late'
  /** The way back could not be opened, or what came back is not what was sent out. */
  | 'callback';

/** A text of somebody else, made fit for one line: no control characters, not long, and none of these secrets, however it is spelt. */
export function told(text: string, secrets: readonly (string | undefined)[] = []): string {
  const hidden = withoutSecrets(text, secrets);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  return hidden.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ').slice(0, 200);
}
