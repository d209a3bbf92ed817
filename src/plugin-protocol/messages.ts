import { many, mapOf, message, one, type ValueOf } from '../lib/protobuf/message.js';

// Must match schema/plugin.proto; a test compares the two.

export const empty = message({});

export const getInfoResponse = message({
  name: one(1, 'string'),
  version: one(2, 'string'),
  description: one(3, 'string'),
  capabilities: many(4, 'string'),
});

export const initRequest = message({ config: mapOf(1, 'bytes') });

export const inputSchema = message({
  name: one(1, 'string'),
  type: one(2, 'string'),
  required: one(3, 'bool'),
  default: one(4, 'string'),
  description: one(5, 'string'),
  validation: one(6, 'string'),
});

const outputSchema = message({
  name: one(1, 'string'),
  type: one(2, 'string'),
  description: one(3, 'string'),
});

export const operationSchema = message({
  name: one(1, 'string'),
  description: one(2, 'string'),
  inputs: many(3, inputSchema),
  outputs: many(4, outputSchema),
});

export const listOperationsResponse = message({ operations: many(1, operationSchema) });
export const getOperationRequest = message({ name: one(1, 'string') });
export const getOperationResponse = message({ operation: one(1, operationSchema) });
export const executeRequest = message({ operation: one(1, 'string'), inputs: mapOf(2, 'bytes') });
export const executeResponse = message({
  success: one(1, 'bool'),
  output: one(2, 'string'),
  data: mapOf(3, 'bytes'),
  error: one(4, 'string'),
});

/** Names of the `severity` numbers; unspecified counts as an error. */
export const severities = ['unspecified', 'warning', 'error', 'info'] as const;

export const validationIssue = message({
  severity: one(1, 'int32'),
  message: one(2, 'string'),
  step: one(3, 'string'),
  field: one(4, 'string'),
});
export const validateWorkflowRequest = message({ workflow_json: one(1, 'bytes') });
export const validateStepRequest = message({ workflow_json: one(1, 'bytes'), step_name: one(2, 'string') });
export const validateResponse = message({ issues: many(1, validationIssue) });

export const stepTypeInfo = message({ name: one(1, 'string'), description: one(2, 'string') });
export const listStepTypesResponse = message({ step_types: many(1, stepTypeInfo) });
export const executeStepRequest = message({
  step_name: one(1, 'string'),
  step_type: one(2, 'string'),
  config: one(3, 'bytes'),
  inputs: one(4, 'bytes'),
});
export const executeStepResponse = message({
  output: one(1, 'string'),
  data: one(2, 'bytes'),
  exit_code: one(3, 'int32'),
});

const eventFields = {
  id: one(1, 'string'),
  type: one(2, 'string'),
  timestamp_unix_nanos: one(3, 'int64'),
  source: one(4, 'string'),
  metadata: mapOf(5, 'string'),
  payload: one(6, 'bytes'),
  propagation_depth: one(7, 'int32'),
} as const;
export const handleEventRequest = message(eventFields);
export const handleEventResponse = message({ emitted_events: many(1, handleEventRequest) });
export const eventStreamMessage = message({ ...eventFields, sequence_number: one(8, 'uint64') });

/** Services that go-plugin adds to every plugin. */
const knock = message({ knock: one(1, 'bool'), ack: one(2, 'bool'), error: one(3, 'string') });
export const connInfo = message({
  service_id: one(1, 'uint32'),
  network: one(2, 'string'),
  address: one(3, 'string'),
  knock: one(4, knock),
});
export const stdioData = message({ channel: one(1, 'int32'), data: one(2, 'bytes') });
export const healthCheckRequest = message({ service: one(1, 'string') });
export const healthCheckResponse = message({ status: one(1, 'int32') });

export type OperationSchema = ValueOf<typeof operationSchema>;
export type InputSchema = ValueOf<typeof inputSchema>;
export type ExecuteResponse = ValueOf<typeof executeResponse>;
export type ValidationIssue = ValueOf<typeof validationIssue>;
export type EventMessage = ValueOf<typeof handleEventRequest>;
export type StepTypeInfo = ValueOf<typeof stepTypeInfo>;
