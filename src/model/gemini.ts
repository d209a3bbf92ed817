import { asRecord } from '../lib/is-record.js';
import type { ModelFormat, SpokenAnswer } from './format.js';
import { event, type JsonRecord, recordsOf, textOf, valueOf, words } from './parts.js';
import type { AdvertisedTool, ToolResult } from './turn.js';

const place = /\/models\/([^/]+):(streamGenerateContent|generateContent)$/;

/** Google generateContent API. The path contains the model and whether to stream. */
export const gemini: ModelFormat = {
  name: 'gemini',
  isAt: (path) => place.test(path),
  counting: { isAt: (path) => /\/models\/[^/]+:countTokens$/.test(path), answer: { totalTokens: 10 } },
  idPrefix: 'call_',
  read(body, path) {
    const { tools, contents, systemInstruction } = asRecord(body);
    const [, model = '', verb] = place.exec(path) ?? [];
    const history = recordsOf(contents);
    return {
      model,
      isStreaming: verb === 'streamGenerateContent',
      advertised: recordsOf(tools).flatMap(toolsOf),
      turn: history.filter(
        (content) => content['role'] === 'model' && partsOf(content, 'functionCall').length > 0,
      ).length,
      results: history.flatMap((content) => partsOf(content, 'functionResponse')).map(resultOf),
      instructions: textIn(asRecord(systemInstruction)),
      messages: history.map((content) => ({ role: String(content['role']), text: textIn(content) })),
    };
  },
  whole: (answer, { model }) =>
    JSON.stringify(response(model, [...textParts(answer), ...callParts(answer)], answer)),
  events(answer, { model }) {
    const texts = words(answer.say).map((text) => event(response(model, [{ text }])));
    // Arguments are never split in this format, so the calls are the last event.
    return [...texts, event(response(model, callParts(answer), answer))];
  },
  fault: ({ message = 'scripted failure', code, status = 500 }) =>
    JSON.stringify({ error: { code: status, message, status: code ?? 'INTERNAL' } }),
};

/** Keys other than the declarations are provider tools, such as a search. */
function toolsOf({ functionDeclarations, ...others }: JsonRecord): readonly AdvertisedTool[] {
  return [
    ...recordsOf(functionDeclarations).map(({ name }) => ({ name: textOf(name), kind: 'function' as const })),
    ...Object.keys(others).map((name) => ({ name, kind: 'built-in' as const })),
  ].map((tool) => ({ ...tool, isDeferred: false }));
}

function partsOf({ parts }: JsonRecord, kind: string): readonly JsonRecord[] {
  return recordsOf(parts).flatMap((part) => (kind in part ? [asRecord(part[kind])] : []));
}

function textIn({ parts }: JsonRecord): string {
  return recordsOf(parts)
    .map(({ text }) => textOf(text))
    .filter((text) => text !== '')
    .join('\n');
}

function resultOf({ id, name, response: given }: JsonRecord): ToolResult {
  const { error, output } = asRecord(given);
  const value = error ?? output ?? given;
  return {
    callId: textOf(id),
    tool: textOf(name),
    text: typeof value === 'string' ? value : JSON.stringify(value),
    isError: error !== undefined,
  };
}

function textParts({ say }: SpokenAnswer): readonly object[] {
  return say === undefined ? [] : [{ text: say }];
}

function callParts({ calls }: SpokenAnswer): readonly object[] {
  return calls.map(({ id, name, text }) => ({
    functionCall: { id, name, args: valueOf(text) },
    // Clients of thinking models send it back, and some reject calls without one.
    thoughtSignature: Buffer.from(id).toString('base64'),
  }));
}

/** One piece of an answer. The last piece gets the answer and contains the finish reason. */
function response(model: string, parts: readonly object[], last?: SpokenAnswer): object {
  const content = { role: 'model', parts };
  return {
    candidates: [{ index: 0, content, ...(last && { finishReason: last.finish ?? 'STOP' }) }],
    ...(last && usageOf(last)),
    modelVersion: model,
    responseId: 'scripted',
  };
}

function usageOf({ usage = { input: 10, output: 5 } }: SpokenAnswer): object {
  if (usage === 'none') return {};
  const { input, output } = usage;
  return {
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
    },
  };
}
