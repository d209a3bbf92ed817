/** Everything that `tidegate.yaml` says, with defaults filled in and paths absolute. Frozen plain data. */
export interface Config {
  /** In the order of the file, those that are not enabled included. */
  readonly servers: readonly ServerConfig[];
  /** Patterns for `createToolFilter`, over the names of our own tools. */
  readonly builtins: readonly string[];
  readonly workspace: WorkspaceConfig;
  readonly http: HttpConfig;
  readonly log: LogConfig;
  readonly store: StoreConfig;
  readonly access: AccessConfig;
  readonly surface: SurfaceConfig;
  /** Absent: nothing is traced. */
  readonly telemetry?: TelemetryConfig;
  /** The file it came from, links resolved; absent for the built-in defaults. */
  readonly file?: string;
}

export type ServerConfig = StdioServerConfig | HttpServerConfig;

interface AnyServerConfig {
  readonly name: string;
  /** Stands before the names of the server's tools; may be empty. */
  readonly prefix: string;
  /** Patterns for `createToolFilter`. */
  readonly tools: readonly string[];
  readonly isEnabled: boolean;
  /** For one call, in milliseconds. */
  readonly timeout: number;
  /** In milliseconds; 0 means that the server is never stopped for being idle. */
  readonly idle: number;
  readonly protocol: 'auto' | 'legacy' | 'modern';
  /** Absent: as the surface says. */
  readonly isLazy?: boolean;
}

export interface StdioServerConfig extends AnyServerConfig {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** Only what the file names; `childEnvironment` adds the base. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface HttpServerConfig extends AnyServerConfig {
  readonly kind: 'http';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly login?: LoginConfig;
}

/** What the operator says about the login to a server; all of it may be left out. */
export interface LoginConfig {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly clientDocument?: string;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  /** 0: any free one. */
  readonly port: number;
}

export interface WorkspaceConfig {
  readonly roots: readonly string[];
}

export interface HttpConfig {
  readonly port: number;
  readonly host: string;
  readonly auth: 'token' | 'none';
}

export interface LogConfig {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Absent: stderr. */
  readonly file?: string;
}

export type StoreConfig =
  /** Without a file: the one in the state directory. */
  | { readonly kind: 'sqlite'; readonly file?: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'memory' };

export interface AccessConfig {
  readonly zone: string;
  /** For how many days records are kept; 0: for ever. */
  readonly auditKeep: number;
  /** `none`: principals without a profile have nothing. Absent: what the file of profiles says. */
  readonly defaultProfile?: string;
  /** The file of profiles, where the configuration names one. */
  readonly profiles?: string;
  /** The file that extends the model, where the configuration names one. */
  readonly model?: string;
}

export interface SurfaceConfig {
  readonly lazy: 'auto' | 'on' | 'off';
  readonly delivery: 'auto' | 'list' | 'bridge';
  readonly maxActiveSchemas: number;
  readonly maxActiveTokens: number;
  readonly deferAboveTokens: number;
  readonly pin: readonly string[];
  /** In milliseconds. */
  readonly hold: number;
  readonly inheritActive: boolean;
  readonly clients: Readonly<Record<string, ClientSurface>>;
  readonly searchHints: Readonly<Record<string, readonly string[]>>;
  readonly synonyms: readonly (readonly string[])[];
  readonly embeddings?: EmbeddingsConfig;
}

export interface ClientSurface {
  readonly lazy?: 'auto' | 'on' | 'off';
  readonly delivery?: 'auto' | 'list' | 'bridge';
}

export interface EmbeddingsConfig {
  readonly url: string;
  readonly model: string;
  readonly key?: string;
}

export interface TelemetryConfig {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
}
