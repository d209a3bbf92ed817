/** The inputs of a certificate. The caller supplies key and signature, because this module imports no Node builtin. */
export interface CertificateParts {
  /** The public key, as SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array;
  /** Signs with ECDSA and SHA-256; returns the signature in DER. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  /** Sixteen random bytes. */
  readonly serial: Uint8Array;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** A self-signed certificate for `localhost`, for both ends of mutual TLS. In DER. */
export function createCertificate(parts: CertificateParts): Uint8Array {
  const name = sequence(set(sequence(oid(2, 5, 4, 3), utf8String('localhost'))));
  const tbs = sequence(
    explicit(0, integer([2])),
    // A first byte from 1 to 127 makes the number positive and minimal.
    integer([((parts.serial[0] ?? 0) & 0x3f) | 0x40, ...parts.serial.subarray(1)]),
    ecdsaWithSha256,
    name,
    sequence(time(parts.notBefore), time(parts.notAfter)),
    name,
    parts.publicKey,
    explicit(3, sequence(...extensions)),
  );
  return sequence(tbs, ecdsaWithSha256, bitString(0, parts.sign(tbs)));
}

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  shortTime: 0x17,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

function tlv(tag: number, ...contents: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  const head = [tag, ...lengthOf(length)];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let at = head.length;
  for (const content of contents) {
    bytes.set(content, at);
    at += content.length;
  }
  return bytes;
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

const sequence = (...contents: readonly Uint8Array[]): Uint8Array => tlv(tags.sequence, ...contents);
const set = (...contents: readonly Uint8Array[]): Uint8Array => tlv(tags.set, ...contents);
const integer = (bytes: readonly number[]): Uint8Array => tlv(tags.integer, bytes);
const explicit = (number: number, content: Uint8Array): Uint8Array => tlv(0xa0 | number, content);
const octets = (content: Uint8Array): Uint8Array => tlv(tags.octets, content);
const bitString = (unused: number, content: Uint8Array | readonly number[]): Uint8Array =>
  tlv(tags.bits, [unused], content);
const utf8String = (text: string): Uint8Array => tlv(tags.utf8, new TextEncoder().encode(text));

/** The first two numbers share a byte; each of the others takes seven bits at a time. */
function oid(first: number, second: number, ...rest: readonly number[]): Uint8Array {
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return tlv(tags.oid, [first * 40 + second, ...bytes]);
}

/** The standard requires two-digit years before 2050: `260102030405Z`. */
function time(date: Date): Uint8Array {
  const text = `${date.toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;
  const isShort = date.getUTCFullYear() < 2050;
  return tlv(isShort ? tags.shortTime : tags.time, new TextEncoder().encode(isShort ? text.slice(2) : text));
}

function extension(id: Uint8Array, isCritical: boolean, content: Uint8Array): Uint8Array {
  const critical = isCritical ? [tlv(tags.boolean, [0xff])] : [];
  return sequence(id, ...critical, octets(content));
}

const ecdsaWithSha256 = sequence(oid(1, 2, 840, 10045, 4, 3, 2));
const extensions = [
  // A certificate authority, because it is self-signed.
  extension(oid(2, 5, 29, 19), true, sequence(tlv(tags.boolean, [0xff]))),
  // digitalSignature, keyEncipherment, keyAgreement, keyCertSign: bits 0, 2, 4 and 5.
  extension(oid(2, 5, 29, 15), true, bitString(2, [0b10101100])),
  extension(
    oid(2, 5, 29, 37),
    false,
    sequence(oid(1, 3, 6, 1, 5, 5, 7, 3, 2), oid(1, 3, 6, 1, 5, 5, 7, 3, 1)),
  ),
  // subjectAltName: the DNS name localhost.
  extension(oid(2, 5, 29, 17), false, sequence(tlv(0x82, new TextEncoder().encode('localhost')))),
];
