import { basename } from 'node:path';
import { decidesWhatLoads } from './loader-variables.js';
import type { Reach } from './reach.js';
import { harmless, runner } from './shell-lines.js';

export interface ShellReach {
  readonly reach: Reach;
  /** Folders that it changes to by their literal names, in this order. */
  readonly folders: readonly string[];
}

/** More than handwritten scripts have. Above that, what a script reaches counts as unknown. */
const maxLength = 1024 * 1024;
const maxSubstitutions = 500;
const substitution = /\$\(([^()]*)\)|`([^`]*)`/;
const token = /(?:[^\s"']|"[^"]*"|'[^']*')+/g;
/** Words in front of a command. */
const prefix =
  /^(?:exec|command|builtin|nohup|time|nice|env|export|local|readonly|declare|if|then|else|elif|while|until|do|!)$/;
const shellOnly =
  /^(?:case|esac|for|select|function|trap|kill|wait|ulimit|umask|read|alias|type|which|uname)$/;
const subcommand = /^(?:run|exec|start|x|dlx|watch|test|tool|script)$/;
const folderOption = /^(?:-C|--cwd|--directory|--prefix|--project|--dir|--chdir)$/;
/** Files that are more than data if a command names them. */
const loadable =
  /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|rb|pl|php|lua|jar|wasm|node|exs?|jsonc?|ya?ml|toml|ini|conf|cfg|env)$/;
/** Options with code. */
const code = /^(?:-\w*[ce]|-p|--eval|--print)$/;
const ownFolder = /\$\{?(?:0|BASH_SOURCE)\b/;
const upwards = /(?:^|[/"'\s=])\.\.(?=[/"'\s)]|$)|rev-parse|dirname[^\n]*dirname|\$\{(?!0)\w+%%?\/|~/m;

/** The reach of a shell script, or of a line passed to a shell. */
export function reachOfShell(text: string): ShellReach {
  const folders: string[] = [];
  const commands = text.length > maxLength ? undefined : commandsOf(text);
  if (commands === undefined) return { reach: 'root', folders };
  let isClear = true;
  for (const words of commands) {
    const folder = literalFolder(words);
    if (folder !== undefined) folders.push(folder);
    else if (!isClearCommand(words)) isClear = false;
  }
  return { reach: isClear ? 'nothing' : howFar(text), folders };
}

function howFar(text: string): Reach {
  // `$(cd "$(dirname "$0")" && pwd)` is the folder of the script.
  const plain = text.replace(/(?:&&|;)\s*pwd\b/g, '');
  if (upwards.test(plain)) return 'root';
  return ownFolder.test(plain) && !/\bpwd\b/i.test(plain) ? 'own' : 'cwd';
}

/**
 * Simple commands as words. Commands in substitutions are listed separately, with `$_` in place of their output.
 * Undefined: too many.
 */
function commandsOf(text: string): readonly (readonly string[])[] | undefined {
  let rest = text.replace(/\\\n/g, ' ').replace(/^[ \t]*#.*$/gm, '');
  const inner: string[] = [];
  for (let found = substitution.exec(rest); found !== null; found = substitution.exec(rest)) {
    if (inner.length === maxSubstitutions) return undefined;
    inner.push(found[1] ?? found[2] ?? '');
    rest = `${rest.slice(0, found.index)}$_${rest.slice(found.index + found[0].length)}`;
  }
  return [rest, ...inner]
    .map((one) => one.replace(/\$\{[^{}]*\}/g, '$$_'))
    .flatMap((one) => one.split(/\n|;|&&?|\|\|?|[(){}]/))
    .map((one) => (one.match(token) ?? []).map((word) => word.replace(/["']/g, '')))
    .filter((words) => words.length > 0);
}

/** `cd srv`: names after it start there. */
function literalFolder(words: readonly string[]): string | undefined {
  const [command, ...rest] = words.filter((word) => !prefix.test(word));
  const [folder, ...more] = rest.filter((word) => !/^(?:--|-[LP])$|^\d?>/.test(word));
  const isLiteral = command === 'cd' && folder !== undefined && more.length === 0;
  return isLiteral && /^[^$~*?[\]\\-][^$*?[\]\\]*$/.test(folder) ? folder : undefined;
}

function isClearCommand(all: readonly string[]): boolean {
  const start = all.findIndex((word) => !prefix.test(word) && !/^\w+=/.test(word));
  const before = start < 0 ? all : all.slice(0, start);
  if (before.some(choosesWhatLoads)) return false;
  const [command = '', ...args] = start < 0 ? [] : all.slice(start);
  if (hasVariable(command) || /^(?:eval|xargs|pushd)$/.test(command)) return false;
  if (command === 'cd') return args[0] === '-';
  if (/^(?:\.|source)$/.test(command)) return !args.some(hasVariable);
  const isContainer =
    /^(?:docker|podman)$/.test(command) && !args.some((arg) => /^(?:compose|build)/.test(arg));
  if (harmless.has(command) || shellOnly.test(command) || isContainer) return true;
  return areClear([command, ...args]);
}

function areClear(words: readonly string[]): boolean {
  const runs = words.findIndex((word) => runner.test(basename(word)));
  const script = words.findIndex(
    (word, at) => at > runs && !word.startsWith('-') && !subcommand.test(word) && !/^\w+=/.test(word),
  );
  const isBefore = (at: number): boolean => runs >= 0 && at > runs && (script < 0 || at <= script);
  return words.every((word, at) => {
    if (!hasVariable(word)) return !(isBefore(at) && code.test(word));
    const isFolder = folderOption.test(words[at - 1] ?? '') || folderOption.test(word.split('=')[0] ?? '');
    return !isFolder && !isBefore(at) && !(loadable.test(word) && !word.includes('://'));
  });
}

/** A variable that runtimes use to find code. `PATH` may get folders whose names are outside the workspace. */
function choosesWhatLoads(word: string): boolean {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(word) ?? [];
  if (name === 'PATH') return !value.split(':').every((one) => /^(?:\$PATH|\/[^$]*)$/.test(one));
  return decidesWhatLoads(name);
}

function hasVariable(word: string): boolean {
  return word.includes('$');
}
