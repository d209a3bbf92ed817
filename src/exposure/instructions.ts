import type { ToolSpec } from '../core/index.js';
import { digestsOf } from './digest.js';

const paragraph =
  "Not all tools are in your list. Before you conclude that something can't be done, call tool_search and describe what you need: it returns matching tools with their schemas and makes them available. Then call them by name; if a tool is not in your list, call it through call_tool with its name and arguments.";

/** In bytes. Some clients cut longer instructions. */
const longest = 2000;

/** A paragraph and the topics of the servers, as far as there is room. No counts, so that the text stays stable. */
export function instructionsFor(deferred: readonly ToolSpec[]): string {
  const lead = '\n\nServers whose tools you can search:';
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
