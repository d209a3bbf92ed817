export type { Collision } from './catalog.js';
export { type ListKind, type ListOf, listKinds, type ProviderReport } from './directory.js';
export { type Gateway, type GatewayParts, openGateway } from './gateway.js';
export { createStateSeal, type StateSeal } from './state-seal.js';
