import type { YAMLError } from 'yaml';
import type { Finding } from './problem.js';

/** One mistake can cause many YAML errors, so only the first ones are useful. */
const MOST_FINDINGS = 10;

/** Tool patterns often start with these characters, which have a special meaning in YAML. */
export const markRemedy = 'Put quotes around text that starts with `!`.';
export const starRemedy = 'Put quotes around text that starts with `*`.';

/** Turns errors of the YAML library into findings: one per line, without follow-up errors. */
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
    return { code: 'config.too_deep', offset, message: 'The file is nested too deeply.' };
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
  return isReference ? 'Inside [ ] and { }, put quotes around text that contains ${…}.' : undefined;
}

// Some messages end with part of the file, which may be a secret.
function withoutSource(message: string): string {
  return message.replace(/(token in YAML \w+|extra characters): .*$/s, '$1');
}
