import { describe, expect, it } from 'vitest';
import { createComplaints } from './complaints.js';

function complain(text: string) {
  const complaints = createComplaints();
  for (const char of Buffer.from(text)) complaints.push(Uint8Array.of(char));
  complaints.end();
  return complaints;
}

describe('the stderr of ripgrep', () => {
  it('names unreadable files, with the reason', () => {
    const { unread, totalUnread, refusal } = complain(
      'rg: ./a: b: Permission denied (os error 13)\n' +
        'rg: ./gone: IO error for operation on ./gone: No such file or directory (os error 2)\n',
    );
    expect(unread).toEqual([
      { path: './a: b', reason: 'Permission denied' },
      { path: './gone', reason: 'No such file or directory' },
    ]);
    expect(totalUnread).toBe(2);
    expect(refusal).toBe('');
  });

  it('gives the reason why the search failed', () => {
    const { refusal, totalUnread } = complain(
      'rg: regex parse error:\n    (\n    ^\nerror: unclosed group\n',
    );
    expect(refusal).toBe('regex parse error:\n    (\n    ^\nerror: unclosed group');
    expect(totalUnread).toBe(0);
  });

  it('about a file with a line break in its name is not treated as a failure', () => {
    const { refusal, unread } = complain('rg: ./a\nregex parse error:\nb: Permission denied (os error 13)\n');
    expect(refusal).toBe('');
    expect(unread).toHaveLength(1);
  });

  it('is counted but not stored if it never ends', () => {
    const { unread, totalUnread } = complain('rg: ./x: Permission denied (os error 13)\n'.repeat(500));
    expect(unread).toHaveLength(20);
    expect(totalUnread).toBe(500);
    expect(complain('no words about a file\n'.repeat(5000)).refusal.length).toBeLessThan(5000);
  });
});
