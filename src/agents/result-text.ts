import type { Outcome } from '../kernel/index.js';
import { recordOf } from './openai/reply.js';

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** More than this of one result would crowd out everything else that the model has to know. */
const longest = 200_000;

/** What a tool gave, as the text that a `role: tool` message holds. What is no text is told of, never dropped. */
export function answerOf(outcome: Outcome): ToolAnswer {
  if (outcome.kind === 'fault') {
    const { code, message, suggestion, data } = outcome.fault;
    const more = [
      suggestion,
      data?.['inputSchema'] && `The schema is ${JSON.stringify(data['inputSchema'])}`,
    ];
    return {
      isError: true,
      text: shortened([`Error ${code}: ${message}`, ...more.filter(Boolean)].join('\n')),
    };
  }
  if (outcome.kind === 'asks')
    return { isError: true, text: 'Error: the tool asks a question that nobody here can answer.' };
  const { content, structuredContent, isError } = recordOf(outcome.result.value);
  const blocks = Array.isArray(content) ? content.map(blockText).filter((text) => text !== '') : [];
  const said = blocks.join('\n');
  const text = said === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : said;
  const isFailure = isError === true;
  return { isError: isFailure, text: shortened(isFailure ? `Error: ${text}` : text) };
}

function blockText(block: unknown): string {
  const { type, text, mimeType, data, uri, resource } = recordOf(block);
  if (type === 'text') return String(text);
  if (type === 'resource_link') return `[resource ${String(uri)}]`;
  if (type === 'resource') {
    const { text: inside, uri: at, mimeType: kind } = recordOf(resource);
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
