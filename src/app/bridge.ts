import { type Environment, isLoopbackHost, stateDirectory } from '../config/index.js';
import { standardStreams } from '../wire/mcp-stdio/standard-streams.js';
import { type BridgeEnd, runBridge } from '../wire/via/bridge.js';
import { readToken, tokenFile } from './bearer-token.js';

export interface BridgeOptions {
  readonly url: URL;
  /** Default: the token of this user's own gate, which is never sent to another machine. */
  readonly token: string | undefined;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** Carries the client on standard input and output to a gate that runs elsewhere. */
export function bridgeToGate({ url, token, env, signal }: BridgeOptions): Promise<BridgeEnd> {
  const isHere = isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
  const known = token ?? (isHere ? readToken(tokenFile(stateDirectory(env))) : undefined);
  return runBridge({ url, token: known, signal, ...standardStreams() });
}
