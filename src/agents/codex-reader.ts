import { isBlocked } from './codex-refusals.js';
import { asJson, type CliEvent, type Json, listOf, numberIn, readJson, textIn } from './launch.js';

/** Items produced by its own tools. Denied calls are not reported. */
const nativeItems: ReadonlySet<string> = new Set(['command_execution', 'file_change', 'web_search']);

/** Reads the lines that `codex exec --json` writes. */
export function createCodexReader(server: string): (line: string) => readonly CliEvent[] {
  let answer = '';

  function itemEvents(item: Json, isDone: boolean): readonly CliEvent[] {
    const [id, type] = [textIn(item['id']), textIn(item['type'])];
    if (type === 'agent_message') {
      if (!isDone) return [];
      answer = textIn(item['text']);
      return [{ kind: 'text', text: answer }];
    }
    const isCall = type === 'mcp_tool_call';
    if (!isCall && !nativeItems.has(type)) return [];
    const isNative = !isCall || item['server'] !== server;
    const name = isCall ? `${textIn(item['server'])}/${textIn(item['tool'])}` : type;
    if (!isDone) return [{ kind: 'use', id, name, input: inputOf(item), isNative }];
    const hasRun = item['error'] === undefined || item['error'] === null;
    const text = resultText(item);
    const isRefused = isNative && isBlocked(item, text);
    return [{ kind: 'result', id, name, isNative, hasRun, ...(isRefused && { isRefused }), text }];
  }

  return (line) => {
    const event = readJson(line);
    if (event === undefined) return [];
    switch (event['type']) {
      case 'thread.started':
        return [{ kind: 'session', id: textIn(event['thread_id']) }];
      case 'item.started':
      case 'item.completed':
        return itemEvents(asJson(event['item']) ?? {}, event['type'] === 'item.completed');
      case 'turn.completed':
        return [spent(asJson(event['usage']) ?? {}), { kind: 'answer', text: answer }];
      case 'error':
        return reconnecting(textIn(event['message']));
      case 'turn.failed':
        return [{ kind: 'error', message: textIn(asJson(event['error'])?.['message']) || 'no reason given' }];
      default:
        return [];
    }
  };
}

/** All other errors are repeated at the end of the turn. */
function reconnecting(reason: string): readonly CliEvent[] {
  return reason.startsWith('Reconnecting') ? [{ kind: 'retry', reason }] : [];
}

function inputOf(item: Json): unknown {
  return item['arguments'] ?? item['command'] ?? item['changes'] ?? item['query'];
}

function resultText(item: Json): string {
  const result = asJson(item['result']);
  const texts = listOf(result?.['content']).map((block) => textIn(block['text']));
  return textIn(item['aggregated_output']) || textIn(asJson(item['error'])?.['message']) || texts.join('\n');
}

function spent(usage: Json): CliEvent {
  return { kind: 'usage', input: numberIn(usage['input_tokens']), output: numberIn(usage['output_tokens']) };
}
