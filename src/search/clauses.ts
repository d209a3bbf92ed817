const sentenceEnds = /[.!?;。！？；]+(?=\s|$|["'\u201d])|[。！？；\n]+/;
const joints = /\b(?:and then|after that|then|also|finally)\b/i;
const most = 12;
const fewestWords = 3;

/** Splits a long need into parts that may each need a different tool; a short need is one part. */
export function clausesOf(text: string): readonly string[] {
  const sentences = text.split(sentenceEnds);
  return sentences
    .flatMap((sentence) => merged(sentence.split(joints)))
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .slice(0, most);
}

/** Parts of one or two words are joined to the previous part. */
function merged(parts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const part of parts) {
    const last = kept.at(-1);
    if (last !== undefined && wordCount(part) < fewestWords) kept[kept.length - 1] = `${last} ${part}`;
    else kept.push(part);
  }
  return kept;
}

const wordCount = (text: string): number => text.trim().split(/\s+/).length;
