import type { YAMLError } from 'yaml';
import type { Finding } from './problem.js';

/** One mistake makes a YAML reader stumble many times; more than these help nobody. */
const MOST_FINDINGS = 10;

/** Both have a meaning of their own in YAML, and both begin what people write to name tools. */
export const markRemedy = 'Put a text that begins with `!` in quotes.';
export const starRemedy = 'Put a text that begins with `*` in quotes.';

/** What the YAML library complained about: one finding for a line, without what only follows from others. */
export function syntaxFindings(flaws: readonly YAMLError[], text: string): readonly Finding[] {
  const byLine = new Map<number, Finding>();
  for (const flaw of flaws.slice(0, 1_000)) {
    const [offset] = flaw.pos;
    const lineStart = text.lastIndexOf('\n', offset - 1);
    const isEcho = byLine.size > 0 && / in YAML (stream|document)/.test(flaw.message);
    if (!isEcho && !byLine.has(lineStart)) byLine.set(lineStart, findingOf(flaw, text));
    if (byLine.size === MOST_FINDINGS) break;
  }
  return [...byLine.values()];
}

function findingOf({ code, message, pos: [offset] }: YAMLError, text: string): Finding {
  if (code === 'RESOURCE_EXHAUSTION')
    return { code: 'config.too_deep', offset, message: 'The nesting is too deep.' };
  const remedy = remedyOf(code, text, offset);
  return {
    code: 'config.syntax',
    offset,
    message: code === 'MULTIPLE_DOCS' ? 'The file has more than one document.' : `${withoutSource(message)}.`,
    ...(remedy !== undefined && { remedy }),
  };
}

function remedyOf(code: YAMLError['code'], text: string, offset: number): string | undefined {
  if (code === 'TAG_RESOLVE_FAILED') return markRemedy;
  if (code === 'BAD_ALIAS') return starRemedy;
  const isReference = text.slice(Math.max(0, offset - 1), offset + 2).includes('${');
  return isReference ? 'Inside [ ] and { }, put a text with ${…} in quotes.' : undefined;
}

// Some messages end with a piece of the file, which may be a secret.
function withoutSource(message: string): string {
  return message.replace(/(token in YAML \w+|extra characters): .*$/s, '$1');
}
