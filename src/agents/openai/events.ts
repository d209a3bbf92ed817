import { Trouble } from './trouble.js';

const longest = 10 * 1024 * 1024;

/** Data of server-sent events. Chunks may be split anywhere, even within a character. */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  let data: string[] = [];
  for await (const part of body) {
    size += part.length;
    if (size > longest) throw new Trouble('EXECUTION.AGENT.BAD_RESPONSE', 'The response exceeds 10 MiB.');
    text += decoder.decode(part, { stream: true });
    for (;;) {
      const line = /\r\n|\n|\r(?!$)/.exec(text);
      if (line === null) break;
      const [whole] = line;
      const content = text.slice(0, line.index);
      text = text.slice(line.index + whole.length);
      if (content === '') {
        if (data.length > 0) yield data.join('\n');
        data = [];
      } else if (content.startsWith('data:')) data.push(content.slice(content.startsWith('data: ') ? 6 : 5));
    }
  }
  // Accept a last event without an empty line; the caller checks whether it is complete.
  if (text.startsWith('data:')) data.push(text.replace(/^data: ?/, ''));
  if (data.length > 0) yield data.join('\n');
}

export async function wholeBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > longest) throw new Trouble('EXECUTION.AGENT.BAD_RESPONSE', 'The response exceeds 10 MiB.');
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
