import { asRecord } from '../../lib/is-record.js';

/** A call by the model. Its arguments may not be valid JSON. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** A complete answer of the model. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finish: string | undefined;
  readonly usage: { readonly input: number; readonly output: number; readonly cost?: number } | undefined;
}

type JsonRecord = Readonly<Record<string, unknown>>;

interface Draft {
  id: string;
  name: string;
  argumentsText: string;
}

/** Assembles an answer from a stream. Call fragments are matched by index. */
export interface Assembly {
  /** Adds an event and returns its text. */
  take(chunk: unknown): string;
  /** Whether the model has finished. */
  isFinished(): boolean;
  /** Whether nothing has arrived. */
  isEmpty(): boolean;
  reply(): Reply;
}

const mostCalls = 128;

export function createAssembly(): Assembly {
  let text = '';
  let finish: string | undefined;
  let usage: Reply['usage'];
  const drafts = new Map<number, Draft>();
  let latest = -1;

  /** Some servers omit the index: a new id then starts a new call, and anything else belongs to the last one. */
  function indexOf(delta: JsonRecord): number {
    if (typeof delta['index'] === 'number') return delta['index'];
    const isNew =
      typeof delta['id'] === 'string' && delta['id'] !== '' && drafts.get(latest)?.id !== delta['id'];
    return isNew || latest === -1 ? latest + 1 : latest;
  }

  function takeCall(delta: JsonRecord): void {
    const index = indexOf(delta);
    const draft = drafts.get(index) ?? { id: '', name: '', argumentsText: '' };
    const { name, arguments: more } = asRecord(delta['function']);
    if (typeof delta['id'] === 'string' && delta['id'] !== '') draft.id = delta['id'];
    if (typeof name === 'string' && name !== '') draft.name ||= name;
    if (typeof more === 'string') draft.argumentsText += more;
    else if (typeof more === 'object' && more !== null) draft.argumentsText = JSON.stringify(more);
    if (drafts.size < mostCalls || drafts.has(index)) drafts.set(index, draft);
    latest = index;
  }

  return {
    take(chunk) {
      const { choices, usage: reported } = asRecord(chunk);
      usage = usageOf(reported) ?? usage;
      const choice = asRecord(listOf(choices)[0]);
      // A server that does not stream sends `message` instead of `delta`.
      const delta = asRecord(choice['delta'] ?? choice['message']);
      const added = contentText(delta['content']);
      text += added;
      for (const call of listOf(delta['tool_calls'])) takeCall(asRecord(call));
      if (typeof choice['finish_reason'] === 'string' && choice['finish_reason'] !== '')
        finish = choice['finish_reason'];
      return added;
    },
    isFinished: () => finish !== undefined,
    isEmpty: () => text === '' && drafts.size === 0 && finish === undefined,
    reply: () => ({ text, finish, usage, calls: callsOf(drafts) }),
  };
}

/** In index order, gaps allowed. A call without an id gets one. */
function callsOf(drafts: ReadonlyMap<number, Draft>): readonly ModelCall[] {
  return [...drafts]
    .toSorted(([a], [b]) => a - b)
    .map(([index, { id, name, argumentsText }]) => ({
      id: id === '' ? `call_${String(index)}` : id,
      name,
      argumentsText,
    }));
}

/** Accepts a string, or a list of parts whose text is joined. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => asRecord(part)['text'])
    .filter((part) => typeof part === 'string')
    .join('');
}

function usageOf(value: unknown): Reply['usage'] {
  const { prompt_tokens: input, completion_tokens: output, cost } = asRecord(value);
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  return { input, output, ...(typeof cost === 'number' && { cost }) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
