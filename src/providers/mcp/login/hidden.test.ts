import { describe, expect, it } from 'vitest';
import { withoutSecrets } from './hidden.js';
import { told } from './settings.js';

const secret = 'S3cr+t/with spaces & ümlaut?';
const form = new URLSearchParams({ s: secret }).toString().slice(2);
const spellings: Readonly<Record<string, string>> = {
  'as it is': secret,
  'percent-encoded': encodeURIComponent(secret),
  'percent-encoded in small letters': encodeURIComponent(secret).replaceAll(/%../g, (one) =>
    one.toLowerCase(),
  ),
  'with every byte percent-encoded': [...Buffer.from(secret)].map((byte) => `%${byte.toString(16)}`).join(''),
  'form-encoded': form,
  'in base64': Buffer.from(secret).toString('base64'),
  'in base64url': Buffer.from(secret).toString('base64url'),
  'in base64, percent-encoded': encodeURIComponent(Buffer.from(secret).toString('base64')),
};

describe('a secret that a server sends back', () => {
  it.each(Object.entries(spellings))('is hidden %s', (_how, spelling) => {
    expect(told(`bad: "${spelling}" was sent`, [secret])).toBe('bad: "[secret]" was sent');
    // The control: what is not known as one is shown.
    expect(told(`bad: "${spelling}" was sent`, ['another'])).toContain(spelling);
  });

  it.each(['a', 'ab', 'abc', 'client-1'])(
    'is hidden together with a client id, as in the header: %s',
    (id) => {
      for (const pair of [
        `${id}:${secret}`,
        `${id}:${form}`,
        `${id}:${encodeURIComponent(secret)}`,
        `${id}:${secret}:more`,
      ]) {
        const header = Buffer.from(pair).toString('base64');
        const shown = withoutSecrets(`Basic ${header}`, [secret]);
        const left = shown.replaceAll('[secret]', '').replace('Basic ', '');
        // What is left is the id: nothing of the secret can be read from it.
        expect(`${id}:`).toContain(Buffer.from(left, 'base64').toString());
        expect(shown).toContain('[secret]');
      }
    },
  );

  it('can contain any character', () => {
    const all = String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 33 + at));
    for (const shown of [all, encodeURIComponent(all), Buffer.from(all).toString('base64url')])
      expect(withoutSecrets(`<${shown}>`, [all])).toBe('<[secret]>');
  });

  it('takes no longer for a long text, and ignores words that only look like base64', () => {
    const long = 'A'.repeat(1_000_000);
    const began = performance.now();
    expect(withoutSecrets(long, [secret])).toBe(long);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(withoutSecrets('invalid_request: unknown client', ['xyz'])).toBe(
      'invalid_request: unknown client',
    );
  });
});
