import { resolve } from 'node:path';
import { isAbsent, lookAt, readWholeText } from './plain-file.js';

const maxBytes = 64 * 1024;
/** Git writes much shorter lines. */
const maxLineChars = 4096;

const word = /^[\w.-]*$/;
const words = /^[\p{L}\p{M}\p{N}.@ '_+-]*$/u;
const reference = /^[\w./*+:@-]*$/;
/** Rejects `::`, which names a program, and options. */
const address = /^(?!-)(?!.*::)[\w./:@~+%-]*$/;

/** `*` is a subsection: the name of a remote, branch or submodule. */
const harmless: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    [
      ...['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates', 'ignorecase', 'symlinks'],
      ...['precomposeunicode', 'autocrlf', 'eol', 'safecrlf', 'quotepath', 'longpaths'],
    ].map((name) => [`core.${name}`, word]),
  ),
  ...Object.fromEntries(
    [
      ...['color.ui', 'commit.gpgsign', 'extensions.objectformat', 'fetch.prune', 'gc.auto'],
      ...['init.defaultbranch', 'merge.conflictstyle', 'pull.ff', 'pull.rebase', 'push.autosetupremote'],
      ...[
        'push.default',
        'rebase.autosquash',
        'submodule.active',
        'submodule.*.active',
        'branch.*.rebase',
        'remote.*.mirror',
      ],
    ].map((key) => [key, word]),
  ),
  'user.name': words,
  'user.email': words,
  'remote.*.url': address,
  'remote.*.pushurl': address,
  'remote.*.fetch': reference,
  'branch.*.remote': address,
  'branch.*.merge': reference,
  'submodule.*.url': address,
  'submodule.*.update': /^(?:none|checkout|rebase|merge)$/,
};

/**
 * True only for settings that git reads in one way and that make it run nothing and look nowhere else. A list of
 * dangerous settings would have to cover every git version and parse each file exactly as git does.
 */
export function isHarmlessConfig(file: string, folder: string, tree: string): boolean {
  const found = lookAt(file);
  if (found === undefined) return isAbsent(file);
  if (!found.isFile()) return false;
  try {
    const text = readWholeText(file, maxBytes);
    if (/\p{Cc}/u.test(text.replaceAll(/[\t\n]/g, ''))) return false;
    let section: string | undefined;
    return text.split('\n').every((line) => {
      if (line.length > maxLineChars) return false;
      if (/^[\t ]*(?:[#;].*)?$/.test(line)) return true;
      const [, name, subsection] = /^\[([a-z]+)(?: "([^"\\]+)")?\]$/i.exec(line) ?? [];
      if (name !== undefined) section = `${name.toLowerCase()}${subsection === undefined ? '' : '.*'}`;
      return name !== undefined || (section !== undefined && isHarmlessLine(line, section, folder, tree));
    });
  } catch {
    // The file is too long, not UTF-8, or not readable.
    return false;
  }
}

function isHarmlessLine(line: string, section: string, folder: string, tree: string): boolean {
  // By hand: a pattern with several runs of spaces takes cubic time on a line of spaces.
  const equals = line.indexOf('=');
  if (equals === -1) return false;
  const name = withoutSpaces(line.slice(0, equals)).replace(/^[\t ]+/, '');
  const value = withoutSpaces(line.slice(equals + 1));
  if (!/^[a-z]+$/i.test(name) || /["#;\\]/.test(value)) return false;
  const key = `${section}.${name.toLowerCase()}`;
  // With another work tree, the links of the index would lead elsewhere.
  if (key === 'core.worktree') return resolve(folder, value) === tree;
  return Object.hasOwn(harmless, key) && harmless[key]?.test(value) === true;
}

/** Trims spaces at both ends. Keeps tabs, so that a value with a tab counts as unusual. */
function withoutSpaces(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && text[from] === ' ') from += 1;
  while (to > from && text[to - 1] === ' ') to -= 1;
  return text.slice(from, to);
}
