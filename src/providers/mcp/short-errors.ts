import { JsonText, membersOf, textOf } from '../../lib/json-text.js';
import { cutText, maxWords } from './cut-text.js';
import { isRecord } from '../../lib/is-record.js';

/** Cuts an error of a server that is too long for a caller. */
export function shortError(error: JsonText): JsonText {
  if (error.text.length <= maxWords || !isRecord(error.value)) return error;
  const { code, message } = error.value;
  const data = textOf(error.text, membersOf(error.text), 'data');
  const isKept = data !== undefined && data.length <= maxWords;
  const note =
    data === undefined || isKept ? '' : ` [Tidegate cut ${String(data.length)} characters of data]`;
  const short = JSON.stringify({ code, message: `${cutText(String(message))}${note}` });
  return new JsonText(isKept ? `${short.slice(0, -1)},"data":${data}}` : short);
}

/** Cuts a failed tool result in the same way. Other results stay unchanged. */
export function shortFailure(result: JsonText): JsonText {
  if (result.text.length <= maxWords || !result.text.includes('"isError"')) return result;
  const { value } = result;
  if (!isRecord(value) || value['isError'] !== true) return result;
  const items: readonly unknown[] = Array.isArray(value['content']) ? value['content'] : [];
  const { structuredContent, _meta: _dropped, ...rest } = value;
  let left = maxWords;
  const content = items.flatMap((item) => {
    if (left <= 0) return [];
    const text = isRecord(item) && typeof item['text'] === 'string' ? item['text'] : undefined;
    const short = text === undefined ? item : { type: 'text', text: cutText(text, left) };
    const length = JSON.stringify(short).length;
    const fits = text !== undefined || length <= left;
    if (fits) left -= length;
    return fits ? [short] : [];
  });
  const gone = items.length - content.length + (structuredContent === undefined ? 0 : 1);
  const note = `[Tidegate shortened this error: it had ${String(result.text.length)} characters, ${String(gone)} parts were removed]`;
  return JsonText.from({
    ...knownParts(rest),
    content: [...content, { type: 'text', text: note }],
    isError: true,
  });
}

function knownParts({ resultType }: Readonly<Record<string, unknown>>): object {
  return typeof resultType === 'string' ? { resultType } : {};
}
