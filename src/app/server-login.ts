import type { ServerConfig } from '../config/index.js';
import { LoginFailure, loginKey } from '../providers/mcp/index.js';
import { openLogins } from '../workspace/login-files.js';

export { LoginFailure };

/** A login that waits for the user in a browser. */
export interface OpenServerLogin {
  readonly link: string;
  /** The redirect URL for the browser. */
  readonly redirect: string;
  /** Resolves when the tokens are saved. */
  readonly finished: Promise<void>;
  /** Accepts the final browser URL, if the browser runs on another machine. */
  paste(text: string): void;
}

/** Login operations for one server. */
export interface ServerLogin {
  begin(signal: AbortSignal): Promise<OpenServerLogin>;
  end(signal: AbortSignal): Promise<'none' | 'revoked' | 'unrevoked'>;
  /** The stored login, without secrets. */
  kept(): KeptFacts;
}

export interface KeptFacts {
  readonly isLoggedIn: boolean;
  readonly issuer?: string;
  readonly until?: string;
  readonly isRenewed?: boolean;
  readonly scope?: string;
}

/** Returns a reason if no login is possible: not an HTTP server, or the configuration sets an Authorization header. */
export function serverLogin(
  server: ServerConfig,
  stateDirectory: string,
): ServerLogin | 'no_http' | 'has_header' {
  if (server.kind !== 'http') return 'no_http';
  if (Object.keys(server.headers).some((name) => name.toLowerCase() === 'authorization')) return 'has_header';
  const { url, login: settings = {} } = server;
  const files = openLogins(stateDirectory);
  const key = loginKey(url, settings);
  return {
    async begin(signal) {
      const { beginLogin } = await import('../providers/mcp/login/work.js');
      return beginLogin({ server: url, key, files, settings, signal });
    },
    async end(signal) {
      const { endLogin } = await import('../providers/mcp/login/work.js');
      return endLogin({ server: url, key, files, signal });
    },
    kept() {
      const login = files.read(key);
      const grant = login?.issuer === undefined ? undefined : login.grants[login.issuer];
      const { tokens } = grant ?? {};
      if (login?.issuer === undefined || tokens === undefined) return { isLoggedIn: false };
      const { until, refresh, scope } = tokens;
      return {
        isLoggedIn: true,
        issuer: login.issuer,
        isRenewed: refresh !== undefined,
        ...(until !== undefined && { until: new Date(until).toISOString() }),
        ...(scope !== undefined && { scope }),
      };
    },
  };
}
