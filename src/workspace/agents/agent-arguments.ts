import type { OwnWords } from '../../agents/index.js';

/** Matches an agent's subcommand, but also a one-word prompt: they cannot be told apart. */
const commandWord = /^[a-z][\w-]*$/i;

/** Checked arguments of an agent's command line. */
export type AgentArguments =
  | { readonly kind: 'known'; readonly model?: string }
  /** This argument is not on the allowed list, so it might break the isolation. */
  | { readonly kind: 'undoing'; readonly word: string };

export function readAgentArguments(words: OwnWords, own: readonly string[]): AgentArguments {
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
      // Without a value, the agent could take our next flag as the value.
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
