import type { ToolSpec } from '../kernel/index.js';
import { digestsOf } from './digest.js';

const paragraph =
  'Not all tools are in your list. To find one, call tool_search with what you need in plain words, before you conclude that something cannot be done: it returns matching tools with their schemas and makes them available. Then call them by name; if a tool is not in your list, call it through call_tool with its name and arguments.';

/** In bytes: some clients cut off what is longer. */
const longest = 2000;

/** One paragraph and what the servers are about, in as many words as there is room for. No counts: it must not change. */
export function instructionsFor(deferred: readonly ToolSpec[]): string {
  const lead = '\n\nServers with tools to be found:';
  for (const words of [6, 3, 1, 0]) {
    const text = paragraph + lead + digestsOf(deferred, words).map(lineOf).join('');
    if (Buffer.byteLength(text) <= longest) return text;
  }
  return paragraph + lead + namesWithin(deferred, longest - Buffer.byteLength(paragraph + lead));
}

function lineOf({ server, words }: { readonly server: string; readonly words: readonly string[] }): string {
  return `\n- ${server}${words.length > 0 ? `: ${words.join(', ')}` : ''}`;
}

function namesWithin(deferred: readonly ToolSpec[], room: number): string {
  const rest = ' and others';
  let text = '';
  for (const { server } of digestsOf(deferred, 0)) {
    const next = `${text}${text === '' ? ' ' : ', '}${server}`;
    if (Buffer.byteLength(next + rest) > room) return text + rest;
    text = next;
  }
  return text;
}
