/** Settings for lazy tools; frozen plain data. */
export interface ExposureSettings {
  /** `auto`: only if the deferrable tools exceed `deferAboveTokens`. */
  readonly lazy: 'auto' | 'on' | 'off';
  readonly delivery: 'auto' | 'list' | 'call_tool';
  readonly maxActiveSchemas: number;
  readonly maxActiveTokens: number;
  readonly deferAboveTokens: number;
  /** Names and patterns of tools that are always listed. */
  readonly pin: readonly string[];
  /** How long a search waits for the client to refresh its list, in milliseconds. */
  readonly holdMs: number;
  readonly inheritActive: boolean;
  /** Overrides by client name. */
  readonly clients: ReadonlyMap<string, Partial<Pick<ExposureSettings, 'lazy' | 'delivery'>>>;
  /** Servers with their own `lazy` setting. */
  readonly servers: ReadonlyMap<string, boolean>;
}
