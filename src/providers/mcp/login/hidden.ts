/** Removes secrets from text, including base64 and percent-encoded forms, alone or inside other text. */
export function withoutSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  const known = secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
  // Longest first, because one may be part of another.
  const patterns = known.toSorted((a, b) => b.length - a.length).flatMap(patternsOf);
  return patterns.reduce((rest, pattern) => rest.replaceAll(pattern, '[secret]'), text);
}

const base64 = String.raw`(?:[\w+/=-]|%2[bBfF]|%3[dD])`;
/** Shorter ones would match many harmless words. */
const leastInBase64 = 4;

function patternsOf(secret: string): readonly RegExp[] {
  const whole = Buffer.from(secret).toString();
  // Also form-encoded, as `client_secret_basic` does before base64.
  const written = new Set([
    whole,
    encodeURIComponent(whole),
    new URLSearchParams([['', whole]]).toString().slice(1),
  ]);
  // The client ID before the secret shifts the base64 characters in one of three ways.
  const encoded = [...written]
    .flatMap((text) => [0, 1, 2].map((before) => inAnyPlace(Buffer.from(text), before)))
    .filter((core) => core.length >= leastInBase64)
    // The characters at both ends hold some bits of it. No `*` in front, which would be slow on long texts.
    .map((core) => new RegExp(`${base64}?${spelt(core)}${base64}*`, 'gu'));
  return [new RegExp(spelt(secret), 'gu'), ...encoded];
}

/** The part of the base64 text that does not depend on the bytes around it, for a given offset in the group. */
function inAnyPlace(bytes: Buffer, before: number): string {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  return whole.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
}

/** Matches each character plain or percent-encoded, and base64 characters also as base64url. */
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
