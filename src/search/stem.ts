// Porter's algorithm (1980).
const consonants = '[^aeiou][^aeiouy]*';
const vowels = '[aeiouy][aeiou]*';
const oneMeasure = new RegExp(`^(?:${consonants})?${vowels}${consonants}`);
const exactlyOne = new RegExp(`^(?:${consonants})?${vowels}${consonants}(?:${vowels})?$`);
const twoMeasures = new RegExp(`^(?:${consonants})?${vowels}${consonants}${vowels}${consonants}`);
const hasVowel = new RegExp(`^(?:${consonants})?[aeiouy]`);
const shortEnd = new RegExp(`^${consonants}[aeiouy][^aeiouwxy]$`);
const joint = '_';
const latin = /^[a-z]{3,}$/;

/** Suffixes and their replacements, by last letter; longest first. */
type Endings = Readonly<Record<string, readonly (readonly [ending: string, instead: string])[]>>;
const derived = endings(
  'ational:ate ization:ize iveness:ive fulness:ful ousness:ous tional:tion biliti:ble entli:ent ousli:ous ation:ate ' +
    'alism:al aliti:al iviti:ive enci:ence anci:ance izer:ize alli:al ator:ate logi:log bli:ble eli:e',
);
const adjectival = endings('icate:ic ative: alize:al iciti:ic ical:ic ness: ful:');
const residual = endings(
  'ement: ment: ance: ence: able: ible: ant: ent: ism: ate: iti: ous: ive: ize: al: er: ic: ou:',
);

function endings(list: string): Endings {
  const byLast: Record<string, (readonly [string, string])[]> = {};
  for (const pair of list.split(' ')) {
    const [ending = '', instead = ''] = pair.split(':');
    (byLast[ending.slice(-1)] ??= []).push([ending, instead]);
  }
  return byLast;
}

const endingOf = (word: string, known: Endings): readonly [string, string] | undefined =>
  known[word.slice(-1)]?.find(([ending]) => word.endsWith(ending));

/** Stems English words; other words are unchanged. `pull_request` is two words treated as one. */
export function createStemmer(irregular: ReadonlyMap<string, string> = new Map()): (word: string) => string {
  return (word) => {
    const lemma = irregular.get(word) ?? word;
    return lemma.includes(joint) ? lemma.split(joint).map(stemOf).join('') : stemOf(lemma);
  };
}

const stemOf = (word: string): string => (latin.test(word) ? porter(word) : word);

function porter(word: string): string {
  const marked = word.startsWith('y') ? `Y${word.slice(1)}` : word;
  const inflected = withoutTense(withoutPlural(marked));
  const softened = endsInY(inflected);
  const adjective = withoutEnding(withoutEnding(softened, derived), adjectival);
  return tidied(withoutResidue(adjective)).toLowerCase();
}

function withoutPlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies'))
    return word.length > 4 ? word.slice(0, -2) : word.slice(0, -1);
  return word.endsWith('s') && !word.endsWith('ss') && word.length > 2 ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  if (word.endsWith('eed')) return oneMeasure.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const length = word.endsWith('ed') ? 2 : word.endsWith('ing') ? 3 : 0;
  const rest = word.slice(0, -length || word.length);
  if (length === 0 || !hasVowel.test(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeiouylsz])\1$/.test(rest)) return rest.slice(0, -1);
  return shortEnd.test(rest) ? `${rest}e` : rest;
}

function endsInY(word: string): string {
  return word.endsWith('y') && hasVowel.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

function withoutEnding(word: string, known: Endings): string {
  const found = endingOf(word, known);
  if (found === undefined) return word;
  const rest = word.slice(0, -found[0].length);
  return oneMeasure.test(rest) ? rest + found[1] : word;
}

function withoutResidue(word: string): string {
  const found = endingOf(word, residual);
  if (found !== undefined) {
    const rest = word.slice(0, -found[0].length);
    return twoMeasures.test(rest) ? rest : word;
  }
  const rest = word.slice(0, -3);
  return /[st]ion$/.test(word) && twoMeasures.test(rest) ? rest : word;
}

function tidied(word: string): string {
  const rest = word.slice(0, -1);
  const dropsE =
    word.endsWith('e') && (twoMeasures.test(rest) || (exactlyOne.test(rest) && !shortEnd.test(rest)));
  const open = dropsE ? rest : word;
  return open.endsWith('ll') && twoMeasures.test(open) ? open.slice(0, -1) : open;
}
