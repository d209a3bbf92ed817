import { type Environment, isLoopbackHost, stateDirectory } from '../config/index.js';
import { standardStreams } from '../transports/index.js';
import { type RelayEnd, runRelay } from '../transports/via/relay.js';
import { readToken, tokenFile } from '../workspace/bearer-token.js';

export interface RelayOptions {
  readonly url: URL;
  /** Default: the token of this user's gateway, which is never sent to another machine. */
  readonly token: string | undefined;
  readonly workspace?: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Connects the client on stdin and stdout to a gateway running elsewhere. */
export function relayToGateway({ url, token, workspace, env, signal }: RelayOptions): Promise<RelayEnd> {
  const isHere = isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
  const known = token ?? (isHere ? readToken(tokenFile(stateDirectory(env))) : undefined);
  return runRelay({
    url,
    token: known,
    signal,
    ...(workspace !== undefined && { workspace }),
    ...standardStreams(),
  });
}
