export { type ProviderReport, reportsOf } from './provider-reports.js';
export type { ListKind } from './lists.js';
export { type Gateway, type GatewayParts, openGateway } from './gateway.js';
export { mergeCatalogs } from './catalog.js';
export type { NameClaims, NamedKind } from './name-claims.js';
export type { SocketGuest, SocketServer } from './socket-guest.js';
