export { createEmbedder, type EmbeddingsOptions } from './create-embedder.js';
