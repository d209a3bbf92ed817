export { createCertificate } from './certificate.js';
export { decodeMessage, readText } from '../lib/protobuf/decode.js';
export { encodeMessage } from '../lib/protobuf/encode.js';
export type { Message, ValueOf } from '../lib/protobuf/message.js';
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
