import {
  content,
  createFault,
  decodeUtf8,
  faulted,
  JsonText,
  type Outcome,
  type Redactor,
} from '../../kernel/index.js';
import type { ExecuteResponse } from '../../kernel/plugin-protocol/index.js';

/** Nobody can read more than this, and every gate and agent on the way would have to hold it. */
const longestResult = 32 * 1024 * 1024;

/** What a plugin answered, as the result of a tool. Values that are JSON stay the text that they came in. */
export function outcomeOf(tool: string, answer: ExecuteResponse, withoutSecrets: Redactor): Outcome {
  const response = withSafeErrors(answer, withoutSecrets);
  const text = objectText(response);
  const isError = !response.success || response.error !== '';
  // An empty object before the reason tells nobody anything.
  const told = text === '{}' && response.error !== '' ? [] : [textBlock(text)];
  const blocks = [...told, ...(response.error === '' ? [] : [textBlock(response.error)])];
  const result = `{"content":[${blocks.join(',')}],"structuredContent":${text}${isError ? ',"isError":true' : ''}}`;
  if (result.length <= longestResult) return content(new JsonText(result));
  const message = `${tool} gave ${String(result.length)} characters, more than can be passed on.`;
  const suggestion = 'Ask it for less at once.';
  return faulted(createFault('work.failed', message, { reason: 'too_large', suggestion }));
}

/** What it answers is its own; but what it says of a failure is often what it was given. */
function withSafeErrors(answer: ExecuteResponse, withoutSecrets: Redactor): ExecuteResponse {
  const { success, output, error } = answer;
  if (success && error === '') return answer;
  return { ...answer, output: withoutSecrets(output), error: withoutSecrets(error) };
}

/** `output` first; a field of the same name in `data` takes its place. */
function objectText({ output, data }: ExecuteResponse): string {
  const members = new Map<string, string>();
  if (output !== '') members.set('output', JSON.stringify(output));
  for (const [key, bytes] of data) members.set(key, valueText(bytes));
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/** Bytes that are no JSON are a text. */
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
