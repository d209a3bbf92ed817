import { type Given, type OptionSpec, textOption } from './command.js';
import { patternsOf } from './with-gate.js';

export const profileCeiling: OptionSpec = {
  name: 'profile',
  value: 'profile',
  about: 'What it never goes beyond; and what it has, while its principal has no profile.',
};

export const toolsCeiling: OptionSpec = {
  name: 'tools',
  value: 'patterns',
  about: 'No other tools exist for it: names or patterns with * and ?, divided by commas; !name takes away.',
};

export const expiresOption: OptionSpec = {
  name: 'expires',
  value: 'when',
  about: 'After a while (12h, 30d, 2w) or at a date (2030-01-31). Left out: never.',
};

export const labelOption: OptionSpec = {
  name: 'label',
  value: 'text',
  about: 'For people, to know it again in a list.',
};

/** What was typed of a wish, to be judged at the desk. */
export interface TypedWish {
  readonly profile?: string;
  readonly tools?: readonly string[];
  readonly expires?: string;
  readonly label?: string;
}

export function wishOf(given: Given): TypedWish {
  const [profile, expires, label] = ['profile', 'expires', 'label'].map((name) => textOption(given, name));
  const tools = patternsOf(given, 'tidegate token create');
  return {
    ...(profile !== undefined && { profile }),
    ...(tools !== undefined && { tools }),
    ...(expires !== undefined && { expires }),
    ...(label !== undefined && { label }),
  };
}
