import { describe, expect, it } from 'vitest';
import { createRecordRedactor } from './record-redactor.js';

describe('the records of a run', () => {
  it('contain no values of inputs and variables with secret names, but keep PWD and OLDPWD', () => {
    const env = { PWD: '/home/u/project', OLDPWD: '/home/u', DB_PWD: 'hunter-2-hunter', PATH: '/usr/bin' };
    const redact = createRecordRedactor({ api_token: 'abcdef-123' }, env);
    const text = 'in /home/u/project with hunter-2-hunter and abcdef-123 on /usr/bin';
    expect(redact({ text: [text] })).toEqual({
      text: ['in /home/u/project with [redacted] and [redacted] on /usr/bin'],
    });
  });

  it('contain no strings of a list with a secret name, plain or JSON-escaped', () => {
    const redact = createRecordRedactor({ api_tokens: ['abcdef-123', 'say "hush"'] }, {});
    expect(redact({ text: 'abcdef-123, say "hush", ["say \\"hush\\""]' })).toEqual({
      text: '[redacted], [redacted], ["[redacted]"]',
    });
  });
});
