const ascii = /^[\0-\x7f]*$/;
/** Invisible text must not be searchable: format characters, tags, variation selectors and combining marks. */
const unseen = /[\p{Cf}\p{Default_Ignorable_Code_Point}\u0300-\u036f]/gu;
const word = /[\p{L}\p{N}\p{M}]+/gu;
const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const cjkRun = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[^\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+/g;
const possessive = /['\u2019](?:s|S)\b/g;
const apostrophe = /(\p{L})['\u2019](?=\p{L})/gu;
const hump = /([a-z0-9])([A-Z])/g;
const acronym = /([A-Z]+)([A-Z][a-z])/g;
const digits = /^\p{N}+$/u;
const longest = 40;

/** One form for texts that look the same: compatibility forms folded, invisible characters and accents removed. */
function fold(text: string): string {
  if (ascii.test(text)) return text;
  return text.normalize('NFKD').replace(unseen, '').normalize('NFC');
}

/**
 * The words of a text in lower case, in order. Identifiers are split (`pullRequest`, `pull_request`). Chinese, Japanese and
 * Korean become pairs of characters.
 */
export function splitWords(text: string): readonly string[] {
  const folded = fold(text);
  if (ascii.test(folded)) return plainWords(folded.includes("'") ? withoutApostrophes(folded) : folded);
  const open = withoutApostrophes(folded).replace(acronym, '$1 $2').replace(hump, '$1 $2');
  return (open.toLowerCase().match(word) ?? []).flatMap(splitScripts);
}

const withoutApostrophes = (text: string): string => text.replace(possessive, '').replace(apostrophe, '$1');

function plainWords(text: string): readonly string[] {
  const lower = text.toLowerCase();
  const words: string[] = [];
  eachPlainWord(text, (from, end) => words.push(bounded(lower.slice(from, end))));
  return words;
}

/** Whether `eachPlainWord` can read a text, as is the case for nearly all indexed text. */
export const isPlain = (text: string): boolean => ascii.test(text) && !text.includes("'");

/** The positions of the words of a plain text, in one pass. */
export function eachPlainWord(text: string, visit: (from: number, end: number) => void): void {
  const { length } = text;
  let from = -1;
  let before: number = other;
  for (let at = 0; at < length; at += 1) {
    const kind = kinds[text.charCodeAt(at)] ?? other;
    if (from !== -1 && (kind === other || (kind === upper && startsWord(text, at, before)))) {
      visit(from, at);
      from = -1;
    }
    if (from === -1 && kind !== other) from = at;
    before = kind;
  }
  if (from !== -1) visit(from, length);
}

/** Whether a capital starts a word; not within other capitals: `parseHTMLDocument` has three words. */
function startsWord(text: string, at: number, before: number): boolean {
  return before !== upper || (at + 1 < text.length && kinds[text.charCodeAt(at + 1)] === small);
}

const other = 0;
const small = 1;
const upper = 2;
const digit = 3;
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return small;
  if (code >= 65 && code <= 90) return upper;
  return code >= 48 && code <= 57 ? digit : other;
});

export const isNumber = (text: string): boolean => digits.test(text);

/** Copies a substring, because a slice would keep the whole text in memory. */
export const ownCopy = (text: string): string => (text.length < 13 ? text : ` ${text}`.slice(1));

/** Cuts very long words, so that they cannot fill the vocabulary. */
function bounded(text: string): string {
  return text.length > longest ? text.slice(0, longest) : text;
}

function splitScripts(text: string): readonly string[] {
  if (!cjk.test(text)) return [bounded(text)];
  return (text.match(cjkRun) ?? []).flatMap((run) => (cjk.test(run) ? pairsOf(run) : [bounded(run)]));
}

function pairsOf(run: string): readonly string[] {
  if (run.length < 3) return [run];
  return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
}
