import type { Tool } from './with-tools.js';

/** Descriptions of the tiers. */
export const tierDescriptions: Readonly<Record<NonNullable<Tool['tier']>, string>> = {
  1: 'files and code intelligence',
  2: 'model-assisted exploration',
  3: 'tasks, git and commands',
  4: 'questions to the user',
  5: 'messages between agents',
};
