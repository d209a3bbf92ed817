import fc from 'fast-check';

/** White space as JSON allows it between tokens. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 4 }) },
);

/** The content of a string: quotes, brackets, escapes, every plane, lone surrogates. */
const characters = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', 'é', '😀', 'a'), maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('\ud800', '\udfff', '\u2028', '\u0000', '\n', '\t', 'b'), maxLength: 4 }),
  fc.constantFrom('__proto__', 'constructor', 'id', '', 'method'),
);

/** A JSON string whose characters are escaped here and there, in every way that JSON knows. */
export const stringText = fc
  .tuple(characters, fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 7 }))
  .map(([text, ways]) => {
    const points = Array.from(text);
    return `"${points.map((point, at) => written(point, ways[at % ways.length] ?? 0)).join('')}"`;
  });

function written(character: string, way: number): string {
  const code = character.charCodeAt(0);
  const isLone = character.length === 1 && code >= 0xd800 && code <= 0xdfff;
  if (way === 1 || isLone) return unicodeEscape(character);
  if (way === 2 && character === '/') return '\\/';
  return code < 0x20 || character === '"' || character === '\\'
    ? JSON.stringify(character).slice(1, -1)
    : character;
}

function unicodeEscape(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

const numberText = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom(
    '-0',
    '0.0',
    '1e3',
    '1E+2',
    '-1.5e-300',
    '9007199254740993',
    '12345678901234567890123',
    '1e999',
  ),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);

const scalarText = fc.oneof(stringText, numberText, fc.constantFrom('true', 'false', 'null'));

/** Valid JSON as somebody else might write it: odd spacing, odd escapes, duplicate keys, huge numbers. */
export const {
  value: jsonText,
  object: objectText,
  array: arrayText,
} = fc.letrec<{
  value: string;
  object: string;
  array: string;
}>((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, scalarText, tie('object'), tie('array')),
  object: fc
    .array(fc.tuple(gap, stringText, gap, gap, tie('value'), gap), { maxLength: 6 })
    .chain((members) =>
      fc.tuple(gap, gap, gap).map(([before, inner, after]) => {
        const texts = members.map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`);
        return `${before}{${texts.join(',') || inner}}${after}`;
      }),
    ),
  array: fc.array(fc.tuple(gap, tie('value'), gap), { maxLength: 5 }).chain((elements) =>
    fc.tuple(gap, gap, gap).map(([before, inner, after]) => {
      const texts = elements.map(([a, value, b]) => `${a}${value}${b}`);
      return `${before}[${texts.join(',') || inner}]${after}`;
    }),
  ),
}));
