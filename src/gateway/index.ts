export type { Collision } from './catalog.js';
export { type ListKind, type ListOf, listKinds } from './directory.js';
export { type Gateway, type GatewayParts, openGateway, type ProviderReport } from './gateway.js';
export { createStateSeal, type StateSeal } from './state-seal.js';
