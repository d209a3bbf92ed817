export type { ProviderReport } from './provider-reports.js';
export type { ListKind } from './lists.js';
export { type Gateway, type GatewayParts, openGateway } from './gateway.js';
