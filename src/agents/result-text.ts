import { faultData, type Outcome } from '../core/index.js';
import { asRecord } from '../lib/is-record.js';

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** A longer result would crowd out the rest of the conversation. */
const longest = 200_000;

/** Converts a tool result to the text of a `role: tool` message. Content that is not text is mentioned, never dropped. */
export function answerOf(outcome: Outcome): ToolAnswer {
  if (outcome.kind === 'fault') {
    const { code, message, suggestion } = outcome.fault;
    const data = faultData(outcome.fault, 'input.invalid');
    // The gateway sends `input_schema` when the schema was never listed; our own tools send `inputSchema`.
    const schema = data?.input_schema ?? data?.inputSchema;
    const more = [suggestion, schema && `The schema is ${JSON.stringify(schema)}`];
    return {
      isError: true,
      text: shortened([`Error ${code}: ${message}`, ...more.filter(Boolean)].join('\n')),
    };
  }
  if (outcome.kind === 'asks')
    return { isError: true, text: 'Error: the tool asks for input, which is not available here.' };
  const { content, structuredContent, isError } = asRecord(outcome.result.value);
  const blocks = Array.isArray(content) ? content.map(blockText).filter((text) => text !== '') : [];
  const joined = blocks.join('\n');
  const text = joined === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : joined;
  const isFailure = isError === true;
  return { isError: isFailure, text: shortened(isFailure ? `Error: ${text}` : text) };
}

function blockText(block: unknown): string {
  const { type, text, mimeType, data, uri, resource } = asRecord(block);
  if (type === 'text') return String(text);
  if (type === 'resource_link') return `[resource ${String(uri)}]`;
  if (type === 'resource') {
    const { text: inside, uri: at, mimeType: kind } = asRecord(resource);
    return typeof inside === 'string'
      ? inside
      : `[resource ${String(at)} of type ${String(kind)}, not shown]`;
  }
  const size = typeof data === 'string' ? `, ${String(Math.floor((data.length * 3) / 4))} bytes` : '';
  return `[${String(type)} of type ${String(mimeType)}${size}, not shown]`;
}

function shortened(text: string): string {
  if (text.length <= longest) return text;
  const half = longest / 2;
  return `${text.slice(0, half)}\n[${String(text.length - longest)} characters left out]\n${text.slice(-half)}`;
}
