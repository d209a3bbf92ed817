import type { Message } from '../lib/protobuf/message.js';
import * as m from './messages.js';

/** A method: path, request and response. */
export interface Method<Asked extends Message, Given extends Message> {
  readonly path: string;
  readonly asked: Asked;
  readonly given: Given;
  /** Absent: unary. */
  readonly streams?: 'asked' | 'given' | 'both';
}

function method<const A extends Message, const G extends Message>(
  path: string,
  asked: A,
  given: G,
): Method<A, G> {
  return { path, asked, given };
}

export const pluginService = {
  getInfo: method('/plugin.v1.PluginService/GetInfo', m.empty, m.getInfoResponse),
  init: method('/plugin.v1.PluginService/Init', m.initRequest, m.empty),
  shutdown: method('/plugin.v1.PluginService/Shutdown', m.empty, m.empty),
} as const;

export const operationService = {
  listOperations: method('/plugin.v1.OperationService/ListOperations', m.empty, m.listOperationsResponse),
  getOperation: method(
    '/plugin.v1.OperationService/GetOperation',
    m.getOperationRequest,
    m.getOperationResponse,
  ),
  execute: method('/plugin.v1.OperationService/Execute', m.executeRequest, m.executeResponse),
} as const;

export const validatorService = {
  validateWorkflow: method(
    '/plugin.v1.ValidatorService/ValidateWorkflow',
    m.validateWorkflowRequest,
    m.validateResponse,
  ),
  validateStep: method('/plugin.v1.ValidatorService/ValidateStep', m.validateStepRequest, m.validateResponse),
} as const;

export const stepTypeService = {
  listStepTypes: method('/plugin.v1.StepTypeService/ListStepTypes', m.empty, m.listStepTypesResponse),
  executeStep: method('/plugin.v1.StepTypeService/ExecuteStep', m.executeStepRequest, m.executeStepResponse),
} as const;

export const eventService = {
  handleEvent: method('/plugin.v1.EventService/HandleEvent', m.handleEventRequest, m.handleEventResponse),
  streamEvents: {
    ...method('/plugin.v1.EventService/StreamEvents', m.eventStreamMessage, m.empty),
    streams: 'asked',
  },
} as const;

export const controllerService = {
  shutdown: method('/plugin.GRPCController/Shutdown', m.empty, m.empty),
} as const;

export const brokerService = {
  startStream: { ...method('/plugin.GRPCBroker/StartStream', m.connInfo, m.connInfo), streams: 'both' },
} as const;

export const stdioService = {
  streamStdio: { ...method('/plugin.GRPCStdio/StreamStdio', m.empty, m.stdioData), streams: 'given' },
} as const;

export const healthService = {
  check: method('/grpc.health.v1.Health/Check', m.healthCheckRequest, m.healthCheckResponse),
} as const;

/** Constants that host and plugin share. */
export const handshake = {
  cookieName: 'AWF_PLUGIN',
  cookie: 'awf-plugin-v1',
  coreVersion: '1',
  appVersion: '1',
  /** Service name for health checks. */
  healthName: 'plugin',
  serving: 1,
  /** go-plugin's default maximum message size. */
  largestRequest: 4 * 1024 * 1024,
} as const;
