import { describe, expect, it } from 'vitest';
import { createSecretsRedactor, redactEach, secretsOf } from './plugin-secrets.js';

describe('values the operator gave to a plugin', () => {
  const secrets = secretsOf({
    config: { token: 'correct horse battery', port: 8080, deep: { list: ['s3cr.t+(x)', 'short'] } },
    env: { KEY: 'line one\nline two\n', QUOTED: 'say "please"', LONG: 'correct horse battery staple' },
    start: { kind: 'url', url: 'https://example.com', headers: { Authorization: 'Bearer abcdef' } },
  });
  const redact = createSecretsRedactor(secrets);

  it.each([
    ['bad token correct horse battery!', 'bad token [redacted]!'],
    ['correct horse battery staple', '[redacted]'],
    ['s3cr.t+(x) twice: s3cr.t+(x)', '[redacted] twice: [redacted]'],
    ['key: line two', 'key: [redacted]'],
    ['{"a":"say \\"please\\""}', '{"a":"[redacted]"}'],
    ['?q=correct%20horse%20battery', '?q=[redacted]'],
    ['Authorization: Bearer abcdef', 'Authorization: [redacted]'],
    ['short 8080 s3crXt+(x)', 'short 8080 s3crXt+(x)'],
  ])('are removed completely: %s', (text, safe) => {
    expect(redact(text)).toBe(safe);
  });

  it('are removed from every text of a log line, and nothing else is', () => {
    const fields = { reason: 's3cr.t+(x)', list: ['s3cr.t+(x)', 1], count: 5 };
    expect(redactEach(fields, redact)).toEqual({ reason: '[redacted]', list: ['[redacted]', 1], count: 5 });
    expect(redactEach(undefined, redact)).toEqual({});
    expect(createSecretsRedactor([])('as it is')).toBe('as it is');
  });
});
