import { content, createFault, faulted, type Outcome } from '../../core/index.js';
import { decodeUtf8 } from '../../lib/lines.js';
import { JsonText } from '../../lib/json-text.js';
import type { Redactor } from '../../ports/log.js';
import type { ExecuteResponse } from '../../plugin-protocol/index.js';

/** The limit for results, because every gateway and agent on the way has to hold them in memory. */
const longestResult = 32 * 1024 * 1024;

/** Turns the response of a plugin into a tool result. JSON values are passed on as the original text. */
export function outcomeOf(tool: string, answer: ExecuteResponse, withoutSecrets: Redactor): Outcome {
  const response = withSafeErrors(answer, withoutSecrets);
  const text = objectText(response);
  const isError = !response.success || response.error !== '';
  // Omit an empty object before the error message.
  const told = text === '{}' && response.error !== '' ? [] : [textBlock(text)];
  const blocks = [...told, ...(response.error === '' ? [] : [textBlock(response.error)])];
  const result = `{"content":[${blocks.join(',')}],"structuredContent":${text}${isError ? ',"isError":true' : ''}}`;
  if (result.length <= longestResult) return content(new JsonText(result));
  const message = `The result of ${tool} is too large to pass on (${String(result.length)} characters).`;
  const suggestion = 'Request less data per call.';
  return faulted(createFault('work.failed', message, { reason: 'too_large', suggestion }));
}

/** Error messages often repeat the input, so secrets are redacted from them. */
function withSafeErrors(answer: ExecuteResponse, withoutSecrets: Redactor): ExecuteResponse {
  const { success, output, error } = answer;
  if (success && error === '') return answer;
  return { ...answer, output: withoutSecrets(output), error: withoutSecrets(error) };
}

/** Merges `output` and `data`; a field with the same name in `data` wins. */
function objectText({ output, data }: ExecuteResponse): string {
  const members = new Map<string, string>();
  if (output !== '') members.set('output', JSON.stringify(output));
  for (const [key, bytes] of data) members.set(key, valueText(bytes));
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/** Bytes that are not JSON become a string. */
function valueText(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes);
  if (text === undefined) return JSON.stringify(Buffer.from(bytes).toString('utf8'));
  try {
    JSON.parse(text);
    return new JsonText(text).text;
  } catch {
    return JSON.stringify(text);
  }
}

function textBlock(text: string): string {
  return `{"type":"text","text":${JSON.stringify(text)}}`;
}
