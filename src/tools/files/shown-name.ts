// Control characters, and those that turn the direction of what follows: a name must not rewrite the text around it.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** The name of a file as it may stand in a text. */
export function shownName(name: string): string {
  return name.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
