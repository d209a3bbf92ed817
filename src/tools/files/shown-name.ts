// Control and bidi characters: a file name must not change how the text around it is displayed.
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** A file name that is safe to show in text. */
export function shownName(name: string): string {
  return name.replace(unsafe, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
