import type { OwnWords } from '../../agents/index.js';

/** A command of an agent looks like this, and so does a prompt of one word: nobody can tell them apart. */
const commandWord = /^[a-z][\w-]*$/i;

/** Words of an agent's command line, looked at. */
export type ReadWords =
  | { readonly kind: 'known'; readonly model?: string }
  /** Nobody looked at this word: it might undo the isolation. */
  | { readonly kind: 'undoing'; readonly word: string };

export function readOwnWords(words: OwnWords, own: readonly string[]): ReadWords {
  const command = words.commands.find(({ name }) => name === own[0]);
  const texts = command?.texts ?? words.texts;
  let hasText = false;
  let model: string | undefined;
  for (let at = command === undefined ? 0 : 1; at < own.length; at += 1) {
    const word = own[at] ?? '';
    if (words.flags.includes(word)) continue;
    const [flag = ''] = word.split('=', 1);
    if (flag.startsWith('-') && words.valued.includes(flag)) {
      const value = flag === word ? own[at + 1] : word.slice(flag.length + 1);
      if (words.model.includes(flag)) model = value;
      if (flag !== word) continue;
      // A flag of ours that comes next would be taken for its value, or what looks like a value for a flag.
      const isMissing = value === undefined || value.startsWith('-');
      if (isMissing && !words.optional.includes(flag)) return { kind: 'undoing', word: value ?? word };
      if (!isMissing) at += 1;
      continue;
    }
    const isText = texts === 'any' || (texts === 'sentence' && !commandWord.test(word));
    if (word.startsWith('-') || hasText || !isText) return { kind: 'undoing', word };
    hasText = true;
  }
  return { kind: 'known', ...(model !== undefined && { model }) };
}
