import { printable } from '../config/index.js';

/** Entries of profiles that fit no tool, and those servers that could still bring it. */
export interface PolicyWarnings {
  readonly warnings: readonly string[];
  readonly unlisted: readonly string[];
}

const mostShown = 20;

/** What somebody has to know who relies on the profiles of a file: a block that blocks nothing is a gap. */
export function warningLines({ warnings, unlisted }: PolicyWarnings): readonly string[] {
  if (warnings.length === 0) return [];
  const more = warnings.length - mostShown;
  return [
    ...warnings.slice(0, mostShown),
    ...(more > 0 ? [`and ${String(more)} more such entries`] : []),
    ...(unlisted.length > 0 ? [`not known yet is what these offer: ${printable(unlisted.join(', '))}`] : []),
  ];
}
