import { errorText, type RawId } from '../lib/json-rpc.js';
import { type Fault, type FaultCode, faultTable, type ToolSpec, type Wanted } from '../core/index.js';
import { type JsonText, withMembers } from '../lib/json-text.js';

interface McpFace {
  /** `result`: the model reads it as the tool's answer and can act on it. `error`: the protocol failed. */
  readonly as: 'error' | 'result';
  readonly code: number;
  /** The code for stateful clients, if it differs. */
  readonly legacyCode?: number;
  readonly httpStatus?: number;
}

/**
 * How each fault looks to an MCP client. Complete by type: a new fault code does not compile without an
 * entry.
 */
export const mcpFaults: Readonly<Record<FaultCode, McpFace>> = {
  'tool.not_found': { as: 'error', code: -32602 },
  'tool.not_permitted': { as: 'result', code: -32603 },
  'prompt.not_found': { as: 'error', code: -32602 },
  'resource.not_found': { as: 'error', code: -32602, legacyCode: -32002 },
  'input.invalid': { as: 'result', code: -32602 },
  'cursor.invalid': { as: 'error', code: -32602 },
  'call.cancelled': { as: 'error', code: -32603 },
  'call.timeout': { as: 'result', code: -32603 },
  'call.too_many': { as: 'error', code: -32603 },
  'ask.unsupported': { as: 'error', code: -32021, legacyCode: -32603, httpStatus: 400 },
  'ask.expired': { as: 'error', code: -32602 },
  'ask.forged': { as: 'error', code: -32602 },
  'ask.too_many': { as: 'result', code: -32603 },
  'policy.denied': { as: 'result', code: -32603 },
  'limits.rate': { as: 'result', code: -32603 },
  'limits.quota': { as: 'result', code: -32603 },
  'approval.pending': { as: 'result', code: -32603 },
  'approval.denied': { as: 'result', code: -32603 },
  'approval.expired': { as: 'result', code: -32603 },
  'pins.changed': { as: 'result', code: -32603 },
  'provider.untrusted': { as: 'result', code: -32603 },
  'provider.disabled': { as: 'result', code: -32603 },
  'provider.login': { as: 'result', code: -32603 },
  'provider.starting': { as: 'result', code: -32603 },
  'provider.busy': { as: 'result', code: -32603 },
  'provider.unavailable': { as: 'result', code: -32603 },
  'provider.lost': { as: 'result', code: -32603 },
  'provider.malformed': { as: 'result', code: -32603 },
  'upstream.error': { as: 'error', code: -32603 },
  'need.starting': { as: 'result', code: -32603 },
  'need.unavailable': { as: 'result', code: -32603 },
  'work.not_found': { as: 'result', code: -32603 },
  'work.refused': { as: 'result', code: -32603 },
  'work.conflict': { as: 'result', code: -32603 },
  'work.bad_state': { as: 'result', code: -32603 },
  'work.external': { as: 'result', code: -32603 },
  'work.unsupported': { as: 'result', code: -32603 },
  'work.timeout': { as: 'result', code: -32603 },
  'work.failed': { as: 'result', code: -32603 },
  internal: { as: 'error', code: -32603 },
};

/** A fault as the text of a result or of an error, depending on its entry and target. */
export type FaultText =
  | { readonly as: 'result'; readonly text: string }
  | { readonly as: 'error'; readonly text: string; readonly httpStatus: number };

/** `tool` is the definition of the called tool, if any. */
export function faultText(
  fault: Fault,
  wanted: Wanted['kind'],
  protocol: 'legacy' | 'modern',
  tool?: ToolSpec,
): FaultText {
  const face = mcpFaults[fault.code];
  if (fault.upstream !== undefined) {
    return {
      as: 'error',
      text: upstreamError(fault.upstream, protocol),
      httpStatus: statusOfUpstream(fault.upstream.value),
    };
  }
  if (face.as === 'result' && wanted === 'tool') return { as: 'result', text: faultResult(fault, tool) };
  const code = protocol === 'legacy' ? (face.legacyCode ?? face.code) : face.code;
  const data = { ...fault.data, code: fault.code };
  // Hidden and absent targets must look the same, so these errors contain only the standard fields.
  const bare = fault.code === 'tool.not_found' || fault.code === 'prompt.not_found';
  const error = { code, message: fault.message, ...(bare ? {} : { data: dataFor(fault, data) }) };
  return { as: 'error', text: JSON.stringify(error), httpStatus: face.httpStatus ?? 200 };
}

function dataFor(fault: Fault, data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return fault.code === 'resource.not_found' || fault.code === 'ask.unsupported' ? { ...fault.data } : data;
}

/**
 * Some clients show the model only the text, others only the structured content, so both contain everything.
 */
function faultResult(fault: Fault, tool: ToolSpec | undefined): string {
  const row = faultTable[fault.code];
  const error = {
    code: fault.code,
    message: fault.message,
    ...(fault.reason !== undefined && { reason: fault.reason }),
    ...(fault.data && { details: fault.data }),
    suggestion: fault.suggestion ?? row.remedy,
    retryable: fault.retryable ?? row.retryable,
  };
  return JSON.stringify({
    content: [{ type: 'text', text: inWords(error) }],
    isError: true,
    ...(admitsEnvelope(tool) ? { structuredContent: { error } } : { _meta: { 'dev.tidegate/error': error } }),
  });
}

interface Envelope {
  readonly code: FaultCode;
  readonly message: string;
  readonly reason?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly suggestion: string;
  readonly retryable: boolean;
}

/** Leaves out the input schema: the caller has seen it in the list. */
function inWords({ code, message, reason, details, suggestion, retryable }: Envelope): string {
  const { inputSchema: _schema, issues: _issues, ...facts } = details ?? {};
  const codes = [code, ...(reason === undefined ? [] : [reason]), ...(retryable ? ['retryable'] : [])];
  const more = Object.keys(facts).length > 0 ? `\n${JSON.stringify(facts)}` : '';
  return `${message} ${suggestion} (${codes.join(', ')})${more}`;
}

/** A strict client validates failed results too, and only our own output schemas allow our fault fields. */
function admitsEnvelope(tool: ToolSpec | undefined): boolean {
  if (tool === undefined || tool.source === 'builtin' || tool.source === 'workspace') return true;
  return !Object.hasOwn(tool.definition.value as object, 'outputSchema');
}

/** Pass on an upstream error; only a retired error code is replaced. */
function upstreamError(error: JsonText, protocol: 'legacy' | 'modern'): string {
  const isGivenUp = protocol === 'modern' && codeOf(error.value) === -32002;
  return isGivenUp ? withMembers(error.text, { code: '-32602' }) : error.text;
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** Keep the HTTP status that the protocol defines for an upstream error. */
function statusOfUpstream(error: unknown): number {
  const code = codeOf(error);
  return code === -32020 || code === -32021 || code === -32022 ? 400 : 200;
}

/** A protocol error, before any request exists. */
export function protocolError(id: RawId | undefined, code: number, message: string, data?: unknown): string {
  return errorText(id, JSON.stringify({ code, message, ...(data !== undefined && { data }) }));
}
