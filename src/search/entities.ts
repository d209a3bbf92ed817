// Values in a query (URLs, paths, amounts) hint at what a tool must accept, though no tool text contains them.
export interface Entities {
  /** The query without values that are not words: URLs, ids, paths. */
  readonly text: string;
  /** Words for the kinds of values found. */
  readonly kinds: readonly string[];
}

interface Kind {
  readonly pattern: RegExp;
  readonly words: string;
  /** What remains of it. Default: everything. */
  readonly instead?: string;
}

const kinds: readonly Kind[] = [
  { pattern: /\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/g, words: 'email', instead: ' ' },
  { pattern: /\bhttps?:\/\/([\w.-]{1,200})\S*/gi, words: 'url website webpage link', instead: ' $1 ' },
  { pattern: /\bwww\.([\w.-]{1,200})\S*/gi, words: 'url website webpage', instead: ' $1 ' },
  {
    pattern: /\b([\w-]{1,63})\.(?:com|org|net|io|ai|dev|gov|edu|co)\b/gi,
    words: 'website url',
    instead: ' $1 ',
  },
  { pattern: /\b(?:\d{1,3}\.){3}\d{1,3}\b/g, words: 'ip address', instead: ' ' },
  {
    pattern: /-?\d{1,3}\.\d{2,},\s{0,2}-?\d{1,3}\.\d{2,}/g,
    words: 'coordinates latitude longitude location',
  },
  { pattern: /[$€£¥₹]\s?\d|\d\s?(?:dollars|euros|pounds|usd|eur|gbp)\b/gi, words: 'amount price money' },
  { pattern: /\d\s?%/g, words: 'percentage rate' },
  { pattern: /\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\/\d{1,2}\/\d{2,4}\b/g, words: 'date' },
  { pattern: /\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?[ap]\.?m\b/gi, words: 'time' },
  { pattern: /\bselect\b[^.]{1,400}\bfrom\b/gi, words: 'sql query database' },
  { pattern: /\d\s?[+*/^×÷]\s?\d/g, words: 'calculate math' },
  {
    pattern:
      /\b[\w-]{1,100}\.(csv|xlsx?|pdf|png|jpe?g|gif|mp[34]|wav|docx?|pptx?|json|ya?ml|txt|md|zip|py|js|ts|html)\b/gi,
    words: 'file',
    instead: ' $1 ',
  },
  { pattern: /(?:^|[\s'"`(])(?:~|\.{1,2})?(?:\/[\w.-]{1,100}){2,}/g, words: 'file path' },
  { pattern: /#[0-9a-f]{6}\b/gi, words: 'color', instead: ' ' },
  { pattern: /(?:^|\s)#\p{L}{2,50}/gu, words: 'hashtag social' },
  { pattern: /\b(?=[a-z]*\d)(?=\d*[a-z])[a-z0-9]{7,64}\b/gi, words: 'id', instead: ' ' },
];

export function readEntities(text: string): Entities {
  const found = new Set<string>();
  let rest = text;
  for (const { pattern, words, instead } of kinds) {
    if (rest.search(pattern) === -1) continue;
    if (instead !== undefined) rest = rest.replace(pattern, instead);
    for (const word of words.split(' ')) found.add(word);
  }
  return { text: rest, kinds: [...found] };
}
