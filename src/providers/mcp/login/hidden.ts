/** A secret that somebody sent back is no less one in base64 or percent-encoded, alone or between other words. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const known = secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
  // The longest first: one may be a part of another.
  const patterns = known.toSorted((a, b) => b.length - a.length).flatMap(patternsOf);
  return patterns.reduce((rest, pattern) => rest.replaceAll(pattern, '[secret]'), text);
}

const base64 = String.raw`(?:[\w+/=-]|%2[bBfF]|%3[dD])`;
/** Shorter ones are in many words that hide nothing. */
const leastInBase64 = 4;

function patternsOf(secret: string): readonly RegExp[] {
  const whole = Buffer.from(secret).toString();
  // As `client_secret_basic` has it before it makes base64 of it.
  const written = new Set([
    whole,
    encodeURIComponent(whole),
    new URLSearchParams([['', whole]]).toString().slice(1),
  ]);
  // The id of the client stands in front: in one of three ways that shifts every character.
  const encoded = [...written]
    .flatMap((text) => [0, 1, 2].map((before) => inAnyPlace(Buffer.from(text), before)))
    .filter((core) => core.length >= leastInBase64)
    // The characters at its ends hold some bits of it. No star in front, which would make long texts slow.
    .map((core) => new RegExp(`${base64}?${spelt(core)}${base64}*`, 'gu'));
  return [new RegExp(spelt(secret), 'gu'), ...encoded];
}

/** What of its base64 is the same whatever stands around it, with so many bytes of a group before it. */
function inAnyPlace(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

/** Each character as itself or percent-encoded; those of base64 as base64url has them, too. */
function spelt(text: string): string {
  return Array.from(text, speltCharacter).join('');
}

const others: ReadonlyMap<string, string> = new Map([
  ['+', '-'],
  ['/', '_'],
  [' ', String.raw`\+`],
]);

function speltCharacter(character: string): string {
  const percent = [...Buffer.from(character)].map(percentOf).join('');
  const plain = character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
  const other = others.get(character);
  return `(?:${plain}|${percent}${other === undefined ? '' : `|${other}`})`;
}

function percentOf(byte: number): string {
  const digits = byte.toString(16).padStart(2, '0');
  return `%${digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`;
}
