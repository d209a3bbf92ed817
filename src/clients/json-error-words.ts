/** The parser knows its errors by names of its own; these are for whoever has to correct the file. */
const words: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a word that JSON does not know: texts stand in double quotes',
  InvalidNumberFormat: 'a number that cannot be read',
  PropertyNameExpected: 'a name in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: 'a colon is expected after the name',
  CommaExpected: 'a comma is expected',
  CloseBraceExpected: 'a closing brace } is expected',
  CloseBracketExpected: 'a closing bracket ] is expected',
  EndOfFileExpected: 'something stands behind the end',
  InvalidCommentToken: 'a comment stands where none may be',
  UnexpectedEndOfComment: 'a comment has no end',
  UnexpectedEndOfString: 'a text has no closing quote',
  UnexpectedEndOfNumber: 'a number has no end',
  InvalidUnicode: 'four hexadecimal digits are expected after \\u',
  InvalidEscapeCharacter:
    'a backslash stands before a sign that it cannot escape; \\\\ is a backslash itself',
  InvalidCharacter: 'a character that a text cannot hold as it is',
};

/** What the parser calls `name`, in words. */
export function jsonErrorWords(name: string): string {
  return words[name] ?? name;
}
