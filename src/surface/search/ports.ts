/** Turns texts into vectors of one length, in order. An endpoint behind the network, or a model in this process. */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]>;
}
