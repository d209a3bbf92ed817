import { describe, expect, it } from 'vitest';
import { createRecordRedactor } from './record-redactor.js';

describe('what is kept of a run', () => {
  it('has no values of inputs and variables whose names are secret, but the folders that a shell is in', () => {
    const env = { PWD: '/home/u/project', OLDPWD: '/home/u', DB_PWD: 'hunter-2-hunter', PATH: '/usr/bin' };
    const redact = createRecordRedactor({ api_token: 'abcdef-123' }, env);
    const text = 'in /home/u/project with hunter-2-hunter and abcdef-123 on /usr/bin';
    expect(redact({ text: [text] })).toEqual({
      text: ['in /home/u/project with [redacted] and [redacted] on /usr/bin'],
    });
  });
});
