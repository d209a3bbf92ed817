/** A word as it can be typed into a shell. */
export function shellWord(text: string): string {
  return /^[\w.:/@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command of ours as it can be typed. */
export function commandLine(...words: readonly string[]): string {
  return ['tidegate', ...words.map(shellWord)].join(' ');
}
