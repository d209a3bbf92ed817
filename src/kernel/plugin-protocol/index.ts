export { createCertificate } from './certificate.js';
export { decodeMessage, readText } from './decode.js';
export { encodeMessage } from './encode.js';
export type { Message, ValueOf } from './message.js';
export { severities } from './messages.js';
export type {
  EventMessage,
  ExecuteResponse,
  InputSchema,
  OperationSchema,
  StepTypeInfo,
  ValidationIssue,
} from './messages.js';
export {
  brokerService,
  controllerService,
  eventService,
  handshake,
  healthService,
  type Method,
  operationService,
  pluginService,
  stdioService,
  stepTypeService,
  validatorService,
} from './methods.js';
