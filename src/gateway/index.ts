export type { ListKind, ProviderReport } from './directory.js';
export { type Gateway, type GatewayParts, openGateway } from './gateway.js';
