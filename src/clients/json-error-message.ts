/** Readable messages for the parser's error names. */
const words: Readonly<Record<string, string>> = {
  InvalidSymbol: 'invalid token: strings need double quotes',
  InvalidNumberFormat: 'invalid number',
  PropertyNameExpected: 'expected a name in double quotes',
  ValueExpected: 'expected a value',
  ColonExpected: 'expected a colon after the name',
  CommaExpected: 'expected a comma',
  CloseBraceExpected: 'expected a closing brace }',
  CloseBracketExpected: 'expected a closing bracket ]',
  EndOfFileExpected: 'unexpected text after the end',
  InvalidCommentToken: 'comments are not allowed here',
  UnexpectedEndOfComment: 'unterminated comment',
  UnexpectedEndOfString: 'unterminated string: the closing quote is missing',
  UnexpectedEndOfNumber: 'incomplete number',
  InvalidUnicode: 'expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'invalid escape: write \\\\ for a backslash',
  InvalidCharacter: 'invalid character in a string: escape it',
};

/** The message for a parser error name. */
export function jsonErrorMessage(name: string): string {
  return words[name] ?? name;
}
