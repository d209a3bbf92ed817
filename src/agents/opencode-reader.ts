import { asJson, type CliEvent, type Json, numberIn, readJson, textIn } from './launch.js';

/** What its model gets for a tool that it does not have. */
export const opencodeRefusal = /Model tried to call unavailable tool/;
const refused = /rejected permission to use|specified a rule which prevents/;

/** Reads the lines that `opencode run --format json` writes. */
export function createOpencodeReader(server: string): (line: string) => readonly CliEvent[] {
  const prefix = `${server}_`;
  let hasSession = false;
  let answer = '';

  function toolEvents(part: Json): readonly CliEvent[] {
    const state = asJson(part['state']) ?? {};
    const [id, tool] = [textIn(part['callID']), textIn(part['tool'])];
    // Reported in place of a tool that does not exist or is not offered.
    const isInvalid = tool === 'invalid';
    const name = (isInvalid && textIn(asJson(state['input'])?.['tool'])) || tool;
    const isNative = !name.startsWith(prefix);
    answer = '';
    const hasRun = state['status'] === 'completed' && !isInvalid;
    const text = textIn(state['output']) || textIn(state['error']);
    const isRefused = !hasRun && (isInvalid ? opencodeRefusal : refused).test(text);
    return [
      { kind: 'use', id, name, input: state['input'], isNative },
      { kind: 'result', id, name, isNative, hasRun, ...(isRefused && { isRefused }), text },
    ];
  }

  function read(event: Json): readonly CliEvent[] {
    const part = asJson(event['part']) ?? {};
    switch (event['type']) {
      case 'tool_use':
        return toolEvents(part);
      case 'text':
        answer += textIn(part['text']);
        return [{ kind: 'text', text: textIn(part['text']) }];
      case 'step_finish':
        return [
          ...spent(part),
          ...(part['reason'] === 'stop' ? [{ kind: 'answer', text: answer } as const] : []),
        ];
      case 'error':
        return [errorOf(event['error'])];
      default:
        return [];
    }
  }

  return (line) => {
    const event = readJson(line);
    if (event === undefined) return [];
    const events = read(event);
    const id = textIn(event['sessionID']);
    if (hasSession || id === '') return events;
    hasSession = true;
    return [{ kind: 'session', id }, ...events];
  };
}

function spent(part: Json): readonly CliEvent[] {
  const tokens = asJson(part['tokens']) ?? {};
  const cache = asJson(tokens['cache']) ?? {};
  const input = numberIn(tokens['input']) + numberIn(cache['read']) + numberIn(cache['write']);
  const output = numberIn(tokens['output']) + numberIn(tokens['reasoning']);
  return [{ kind: 'usage', input, output, cost: numberIn(part['cost']) }];
}

function errorOf(error: unknown): CliEvent {
  const known = asJson(error);
  const data = asJson(known?.['data']);
  const status = data?.['statusCode'];
  const message = textIn(data?.['message']) || textIn(known?.['message']) || textIn(known?.['name']);
  return {
    kind: 'error',
    message: message || 'no reason given',
    ...(typeof status === 'number' && { status }),
  };
}
