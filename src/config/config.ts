/** The contents of `tidegate.yaml`, with defaults applied and absolute paths. Frozen plain data. */
export interface Config {
  /** The values of `${NAME}` references in the file. They may be secrets, so never log them. */
  readonly referenced?: readonly string[];
  /** In file order, including disabled servers. */
  readonly servers: readonly ServerConfig[];
  /** Patterns for `createToolFilter`, matched against the names of built-in tools. */
  readonly builtins: readonly string[];
  readonly workspace: WorkspaceConfig;
  readonly shell: ShellConfig;
  /** Workflows whose commands run outside the sandbox even when an agent starts them. */
  readonly unsandboxedWorkflows: readonly string[];
  readonly http: HttpConfig;
  readonly log: LogConfig;
  readonly store: StoreConfig;
  readonly access: AccessConfig;
  readonly context: ContextConfig;
  /** Without it, nothing is traced. */
  readonly telemetry?: TelemetryConfig;
  /** The source file, with links resolved. Absent for the built-in defaults. */
  readonly file?: string;
}

/** Limits and sandbox of `Bash` commands. 0 means no limit. */
export interface ShellConfig {
  readonly limits: {
    /** MiB. */
    readonly memory: number;
    readonly processes: number;
    readonly openFiles: number;
    readonly cpuSeconds: number;
  };
  readonly hasUnixSockets: boolean;
  readonly sandbox: 'auto' | 'off';
  /** Absolute paths of folders outside the workspace that sandboxed commands can write to. */
  readonly writable: readonly string[];
  readonly hasNetwork: boolean;
}

export type ServerConfig = StdioServerConfig | HttpServerConfig;

interface AnyServerConfig {
  readonly name: string;
  /** Prepended to the names of the server's tools; may be empty. */
  readonly prefix: string;
  /** Patterns for `createToolFilter`. */
  readonly tools: readonly string[];
  readonly isEnabled: boolean;
  /** For one call, in milliseconds. */
  readonly timeout: number;
  /** In milliseconds; 0 means that an idle server is never stopped. */
  readonly idle: number;
  readonly protocol: 'auto' | 'legacy' | 'modern';
  /** Folders that the server gets as roots. Without it, no roots are offered. */
  readonly roots?: readonly string[];
  /** Whether a server with protocol version 2026-07-28 gets the roots of the caller, for that call only. */
  readonly takesCallerRoots?: boolean;
  /** Defaults to `context.lazy`. */
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

/** The operator's settings for the login to a server. */
export interface LoginConfig {
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly clientDocument?: string;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  /** 0 picks any free port. */
  readonly port: number;
}

export interface WorkspaceConfig {
  readonly roots: readonly string[];
  /** Whether callers are stopped from changing files that the operator trusted to run. */
  readonly isLocked?: boolean;
}

export interface HttpConfig {
  readonly port: number;
  readonly host: string;
  readonly auth: 'token' | 'none';
}

export interface LogConfig {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Defaults to stderr. */
  readonly file?: string;
}

export type StoreConfig =
  /** `file` defaults to the one in the state directory. */
  | { readonly kind: 'sqlite'; readonly file?: string }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'memory' };

export interface AccessConfig {
  readonly zone: string;
  /** In days; 0 keeps records forever. */
  readonly auditKeep: number;
  /** `none` gives principals without a profile no access. Defaults to the setting in the profiles file. */
  readonly defaultProfile?: string;
  /** The profiles file, if the configuration names one. */
  readonly profiles?: string;
  /** The file that extends the model, if the configuration names one. */
  readonly model?: string;
}

export interface ContextConfig {
  readonly lazy: 'auto' | 'on' | 'off';
  readonly delivery: 'auto' | 'list' | 'call_tool';
  readonly maxActiveSchemas: number;
  readonly maxActiveTokens: number;
  readonly deferAboveTokens: number;
  readonly pin: readonly string[];
  /** In milliseconds. */
  readonly hold: number;
  readonly inheritActive: boolean;
  readonly clients: Readonly<Record<string, ClientContext>>;
  readonly searchHints: Readonly<Record<string, readonly string[]>>;
  readonly synonyms: readonly (readonly string[])[];
  readonly embeddings?: EmbeddingsConfig;
}

export interface ClientContext {
  readonly lazy?: 'auto' | 'on' | 'off';
  readonly delivery?: 'auto' | 'list' | 'call_tool';
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
