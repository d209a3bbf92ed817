/** A diff of two texts that differ in one place, with some context lines. */
export function lineDiff(before: string, after: string, around = 2): readonly string[] {
  const [old, next] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, next.length);
  let start = 0;
  while (start < shorter && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  if (start === old.length && start === next.length) return [];
  const same = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
  return [
    ...same(next.slice(Math.max(0, start - around), start)),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...next.slice(start, next.length - end).map((line) => `+ ${line}`),
    ...same(next.slice(next.length - end, Math.min(next.length, next.length - end + around))),
  ];
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
