import { Trouble } from './trouble.js';

const longest = 10 * 1024 * 1024;

/** The data of server-sent events. Bytes may be cut anywhere, in the middle of a character too. */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  let data: string[] = [];
  for await (const part of body) {
    size += part.length;
    if (size > longest)
      throw new Trouble('EXECUTION.AGENT.BAD_RESPONSE', 'The answer is longer than 10 MiB.');
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
  // A last event without its empty line is still one, if it is whole: whoever reads it finds out.
  if (text.startsWith('data:')) data.push(text.replace(/^data: ?/, ''));
  if (data.length > 0) yield data.join('\n');
}

/** A body that came whole. */
export async function wholeBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > longest)
      throw new Trouble('EXECUTION.AGENT.BAD_RESPONSE', 'The answer is longer than 10 MiB.');
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}
