/** As large as a zone of a hundred thousand grants gets. */
const maxCharacters = 64 * 1024 * 1024;

/** A document that a person gave: YAML, and so JSON too. Throws a `SyntaxError` that says what is wrong. */
export async function parseDocument(text: string): Promise<unknown> {
  if (text.length > maxCharacters) throw new SyntaxError('the document is too large');
  if (/^\s*[{[]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // YAML has this form too, and better words for what is wrong with it.
    }
  }
  const { parseDocument: parse } = await import('yaml');
  const document = parse(text, { uniqueKeys: true, prettyErrors: true });
  const [first] = document.errors;
  if (first !== undefined) throw new SyntaxError(first.message.split('\n')[0]?.replace(/:$/, '') ?? 'syntax');
  try {
    // Few aliases are enough for people; many are made to fill a memory.
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : 'the aliases cannot be followed');
  }
}

export async function formatDocument(document: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
