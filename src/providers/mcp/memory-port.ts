import type { Era } from '../../kernel/index.js';

/** The lists of a server as the texts that it sent, one per definition. */
export interface KeptCatalogue {
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly templates: readonly string[];
  readonly instructions?: string;
  /** Whether the server said that it has resources at all. */
  readonly hasResources: boolean;
}

export interface UpstreamRecord {
  readonly catalogue?: KeptCatalogue;
  /** How the server was opened last time. */
  readonly era?: Era;
  /** When the catalogue was listed, in milliseconds since 1970. */
  readonly at: number;
}

/** What is remembered of a server between starts. Losing it costs time, never correctness. */
export interface UpstreamMemory {
  read(key: string): UpstreamRecord | undefined;
  write(key: string, value: UpstreamRecord): void;
}
