export type { ListKind } from './directory.js';
export { type Gateway, type GatewayParts, openGateway } from './gateway.js';
