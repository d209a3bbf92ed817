export interface GitSetting {
  /** `section.name` or `section.subsection.name`; section and name in lower case. */
  readonly key: string;
  readonly value: string;
}

/** Parses git's configuration syntax. Skips lines that git would refuse: git runs nothing from such a file. */
export function parseGitConfig(text: string): readonly GitSetting[] {
  const settings: GitSetting[] = [];
  const lines = joinContinued(text.replace(/^\uFEFF/, '').split(/\r?\n/));
  let section = '';
  for (const line of lines) {
    let rest = line;
    for (let header = headerOf(rest); header !== null; header = headerOf(rest)) {
      section = sectionOf(header[1] ?? '', header[2]);
      rest = rest.slice(header[0].length);
    }
    const [, name, given] = /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?/s.exec(rest) ?? [];
    if (name === undefined || section === '') continue;
    settings.push({ key: `${section}.${name.toLowerCase()}`, value: valueOf(given ?? 'true') });
  }
  return settings;
}

function headerOf(text: string): RegExpExecArray | null {
  return /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(text);
}

function joinContinued(lines: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let open = '';
  let isQuoted = false;
  for (const line of lines) {
    const end = endOf(line, isQuoted);
    ({ isQuoted } = end);
    open += end.isContinued ? line.slice(0, -1) : line;
    if (end.isContinued) continue;
    joined.push(open);
    open = '';
  }
  return open === '' ? joined : [...joined, open];
}

/** A backslash at the end of a line continues it, except in a comment. */
function endOf(line: string, wasQuoted: boolean) {
  let isQuoted = wasQuoted;
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    if (character === '\\') {
      if (at === line.length - 1) return { isContinued: true, isQuoted };
      at += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';')) break;
  }
  return { isContinued: false, isQuoted: false };
}

function sectionOf(name: string, subsection: string | undefined): string {
  const lower = name.toLowerCase();
  return subsection === undefined ? lower : `${lower}.${subsection.replaceAll(/\\(.)/g, '$1')}`;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', b: '\b' };

function valueOf(given: string): string {
  let value = '';
  let isQuoted = false;
  let kept = 0;
  for (let at = 0; at < given.length; at += 1) {
    const character = given.charAt(at);
    if (character === '\\') {
      at += 1;
      const escaped = given.charAt(at);
      value += escapes[escaped] ?? escaped;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === '#' || character === ';')) break;
    // Outside quotes, every blank becomes a space.
    else if (isQuoted || character.trim() !== '') value += character;
    else if (value !== '') value += ' ';
    // Trailing spaces do not count unless they are quoted.
    if (isQuoted || character.trim() !== '') kept = value.length;
  }
  return value.slice(0, kept);
}
