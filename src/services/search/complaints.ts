import { createLineReader } from '../../lib/lines.js';

/** ripgrep's stderr, split into unreadable files and the reason for a failed search. */
export interface Complaints {
  push(chunk: Uint8Array): void;
  end(): void;
  /** The first unreadable files, as ripgrep named them. */
  readonly unread: readonly UnreadFile[];
  readonly totalUnread: number;
  /** Messages that are not about a file, such as an invalid pattern. */
  readonly refusal: string;
}

export interface UnreadFile {
  readonly path: string;
  readonly reason: string;
}

const maxUnread = 20;
const maxRefusal = 4000;
const maxLine = 16 * 1024;
/** All our paths start like this, and no other message of ripgrep does. */
const aboutFile = /^rg: (\.\/|\/proc\/)/;

export function createComplaints(): Complaints {
  const lines = createLineReader(maxLine);
  const unread: UnreadFile[] = [];
  let totalUnread = 0;
  let refusal = '';

  const take = (line: string) => {
    if (aboutFile.test(line)) {
      totalUnread += 1;
      if (unread.length < maxUnread) unread.push(readFileLine(line.slice('rg: '.length)));
    } else if (totalUnread === 0 && refusal.length < maxRefusal) {
      // After the first file it can only be the rest of a file name that contains a line break.
      refusal += `${refusal === '' ? line.replace(/^rg: /, '') : line}\n`;
    }
  };
  const takeAll = (found: ReturnType<typeof lines.push>) => {
    for (const line of found) {
      if (line.kind === 'line') take(line.text);
      // A name that is not UTF-8, or a path over 16 KiB; still counted.
      else totalUnread += 1;
    }
  };
  return {
    push: (chunk) => takeAll(lines.push(chunk)),
    end: () => takeAll(lines.end()),
    unread,
    get totalUnread() {
      return totalUnread;
    },
    get refusal() {
      return refusal.trim();
    },
  };
}

/** `./path: reason (os error 13)`, where the reason may repeat the path. */
function readFileLine(line: string): UnreadFile {
  const found = /^(.*?): (?:IO error for operation on .*: )?([^:]*)$/s.exec(line);
  const reason = (found?.[2] ?? 'not readable').replace(/ \(os error \d+\)$/, '');
  return { path: found?.[1] ?? line, reason };
}
