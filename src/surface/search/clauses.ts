const sentenceEnds = /[.!?;。！？；]+(?=\s|$|["'\u201d])|[。！？；\n]+/;
const joints =
  /,\s*(?:and|then|also|plus)\b|\b(?:and then|after that|as well as|additionally|and also|then|also|finally|next|lastly|moreover|furthermore|besides)\b|,|\band\b/i;
const most = 12;

/** The parts of a long need that may each want a tool of their own; a short need is one part. */
export function clausesOf(text: string): readonly string[] {
  const sentences = text.split(sentenceEnds);
  return sentences
    .flatMap((sentence) => merged(sentence.split(joints)))
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '')
    .slice(0, most);
}

/** A part of one or two words is a list's member, not a need: it stays with what is before it. */
function merged(parts: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const part of parts) {
    const last = kept.at(-1);
    if (last !== undefined && wordCount(part) < 3) kept[kept.length - 1] = `${last} ${part}`;
    else kept.push(part);
  }
  return kept;
}

const wordCount = (text: string): number => text.trim().split(/\s+/).length;
