/** The limit for texts of a server other than results: errors, log messages, progress messages. */
export const maxWords = 16 * 1024;

/** Returns the text, or its beginning with a note about how much was cut. */
export function cutText(text: string, most = maxWords): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  // Do not split a surrogate pair.
  const end = last >= 0xd800 && last < 0xdc00 ? most - 1 : most;
  return `${text.slice(0, end)} [Tidegate cut ${String(text.length - end)} characters here]`;
}
