/** Turns texts into vectors of equal length, in order. A remote endpoint or a local model. */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}
