/** How tools are shown; frozen plain data. */
export interface SurfaceSettings {
  /** `auto`: only when what could be deferred is larger than `deferAboveTokens`. */
  readonly lazy: 'auto' | 'on' | 'off';
  readonly delivery: 'auto' | 'list' | 'bridge';
  readonly maxActiveSchemas: number;
  readonly maxActiveTokens: number;
  readonly deferAboveTokens: number;
  /** Names and patterns of tools that are always shown. */
  readonly pin: readonly string[];
  /** How long a search waits for the client to read its list again, in milliseconds. */
  readonly holdMs: number;
  readonly inheritActive: boolean;
  /** What differs for a program of this name. */
  readonly clients: ReadonlyMap<string, Partial<Pick<SurfaceSettings, 'lazy' | 'delivery'>>>;
  /** Servers that say for themselves whether their tools are deferred. */
  readonly servers: ReadonlyMap<string, boolean>;
}
