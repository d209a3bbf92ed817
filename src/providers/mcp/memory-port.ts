import type { Protocol } from '../../core/index.js';

/** The lists of a server as the original texts, one per definition. */
export interface KeptCatalogue {
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  readonly templates: readonly string[];
  readonly instructions?: string;
  /** Whether the server declares resources. */
  readonly hasResources: boolean;
}

export interface UpstreamRecord {
  readonly catalogue?: KeptCatalogue;
  /** The protocol version that worked last time. */
  readonly protocol?: Protocol;
  /** When the catalog was listed, in milliseconds since 1970. */
  readonly at: number;
}

/** Caches facts about a server between starts. Losing it costs time, never correctness. */
export interface UpstreamMemory {
  read(key: string): UpstreamRecord | undefined;
  write(key: string, value: UpstreamRecord): void;
}
