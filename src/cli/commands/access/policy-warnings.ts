import { printable } from '../../../config/index.js';

/** Profile entries that match no tool, and servers that are not listed yet and might provide it. */
export interface PolicyWarnings {
  readonly warnings: readonly string[];
  readonly unlisted: readonly string[];
}

const mostShown = 20;

/** Warnings about profile entries: a block that matches nothing is a gap. */
export function warningLines({ warnings, unlisted }: PolicyWarnings): readonly string[] {
  if (warnings.length === 0) return [];
  const more = warnings.length - mostShown;
  return [
    ...warnings.slice(0, mostShown),
    ...(more > 0 ? [`and ${String(more)} more entries like these`] : []),
    ...(unlisted.length > 0 ? [`tools are not known yet for: ${printable(unlisted.join(', '))}`] : []),
  ];
}
