import { withoutSecrets } from './hidden.js';

/** The operator's settings for the login to a server. */
export interface LoginSettings {
  /** A client that the operator registered. */
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** A client ID metadata document. Its URL is the client ID. */
  readonly clientDocument?: string;
  /** The only authorization server to use. */
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  /** Port on 127.0.0.1 for the redirect from the browser; 0 picks any free port. */
  readonly port?: number;
}

/** Why a login failed, as text for people. Never contains a secret. */
export class LoginFailure extends Error {
  readonly reason: LoginReason;
  /** The next step, if it differs from the usual one for this reason. */
  readonly next: string | undefined;

  constructor(reason: LoginReason, message: string, next?: string) {
    super(message);
    this.reason = reason;
    this.next = next;
  }
}

export type LoginReason =
  /** The server does not seem to require a login. */
  | 'none'
  /** The server or its authorization server lacks a required feature, or its identity does not match. */
  | 'unfit'
  /** A server could not be reached or did not answer in time. */
  | 'unreachable'
  /** The authorization server or the user declined. */
  | 'denied'
  /** The login was not completed in time. */
  | 'late'
  /** The redirect port could not be opened, or the redirect does not belong to this login. */
  | 'callback';

/** Makes foreign text safe for one line: no control characters, limited length, and these secrets removed as in `hidden.ts`. */
export function told(text: string, secrets: readonly (string | undefined)[] = []): string {
  const hidden = withoutSecrets(text, secrets);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are removed here.
  return hidden.replaceAll(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g, ' ').slice(0, 200);
}
