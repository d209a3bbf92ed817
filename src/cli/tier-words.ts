import type { Tool } from './tools.js';

/** What each tier is for. */
export const tierWords: Readonly<Record<NonNullable<Tool['tier']>, string>> = {
  1: 'files and code intelligence',
  2: 'model-assisted exploration',
  3: 'tasks, git and commands',
  4: 'questions to people',
  5: 'mail between agents',
};
