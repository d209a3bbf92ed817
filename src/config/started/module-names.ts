import { isBuiltin } from 'node:module';
import { createScanner } from './script-scanner.js';

/** The modules that a program loads, as far as its text shows. */
export interface ModuleNames {
  /** `./x`, `../x` and absolute paths. */
  readonly paths: readonly string[];
  /** Packages and `#` names. */
  readonly bare: readonly string[];
  /** Whether it also loads computed names. */
  readonly isComputed: boolean;
}

// Agents write these texts, so no pattern here may backtrack: each one reads a part of the text once.
const wordPattern = /[\w$]+/g;
/** Workers and child processes are named in other ways, so any string that looks like a program path counts. */
const pathPattern = /(['"`])(\.{1,2}\/[^'"`\n]+)(?=\1)/g;
const programEnd = /\.(?:[cm]?[jt]sx?|node|wasm|sh|py)$/;
/** `createRequire(import.meta.url)`, kept under a name. */
const keptRequirePattern = /(?<![\w$])([\w$]+)\s*=\s*(?:[\w$]+\s*\.\s*)?createRequire\b/g;
/** Longer paths and names can't exist. */
const longest = 4_096;

/** Module names in JavaScript and TypeScript. */
export function javaScriptNames(text: string): ModuleNames {
  const { named, isComputed } = loadsIn(text);
  const programs = [...text.matchAll(pathPattern)]
    .map(([, , path = '']) => path)
    .filter((path) => path.length <= longest && programEnd.test(path));
  const found = [...named, ...programs].filter((name) => name.length <= longest);
  const names = [...new Set(found)].map((name) => name.replace(/[?].*$/s, ''));
  const paths = names.filter((name) => /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(name));
  const bare = names.filter((name) => /^[@#\w]/.test(name) && !name.startsWith('file:') && !isBuiltin(name));
  return { paths, bare, isComputed };
}

interface Loads {
  readonly named: readonly string[];
  readonly isComputed: boolean;
}

function loadsIn(text: string): Loads {
  const { skip, stringAt, closeOf } = createScanner(text);
  const named: string[] = [];
  let isComputed = false;
  const take = (at: number): void => {
    const name = stringAt(at)?.value;
    if (name !== undefined) named.push(name);
  };
  /** Where the first argument of a call begins; undefined if no call follows. */
  const argumentAt = (end: number): number | undefined => {
    const at = skip(text.startsWith('.resolve', end) ? end + '.resolve'.length : end);
    return text[at] === '(' ? skip(at + 1) : undefined;
  };
  const isOneName = (at: number): boolean => {
    if (text[at] === ')') return true;
    const literal = stringAt(at);
    if (literal === undefined || literal.isTemplate) return false;
    return [',', ')'].includes(text[skip(literal.end)] ?? '');
  };
  const takeCall = (end: number, counts: boolean): void => {
    const at = argumentAt(end);
    if (at === undefined) return;
    take(at);
    if (counts && !isOneName(at)) isComputed = true;
  };
  const kept = new Set(
    text.includes('createRequire') ? [...text.matchAll(keptRequirePattern)].map(([, name = '']) => name) : [],
  );
  for (const { 0: word, index } of text.matchAll(wordPattern)) {
    const end = index + word.length;
    const keyword = word.slice(word.lastIndexOf('$') + 1);
    if (kept.has(word)) takeCall(end, true);
    else if (keyword === 'from') take(skip(end));
    else if (keyword === 'import' || keyword === 'require') {
      if (keyword === 'import') take(skip(end));
      takeCall(end, keyword === word && text[index - 1] !== '.');
    } else if (keyword === 'resolve' || keyword === 'URL') takeCall(end, false);
    else if (keyword === 'createRequire') {
      const open = skip(end);
      const close = text[open] === '(' ? closeOf(open) : undefined;
      if (close !== undefined) takeCall(close + 1, true);
      else if (text[open] === '(') isComputed = true;
    }
  }
  return { named, isComputed };
}

/** Modules that a Python file imports, as paths without an ending: `.a.b` from its folder, `a.b` from where it starts. */
export function pythonNames(text: string): ModuleNames {
  const paths = new Set<string>();
  for (const [, from, names = '', plain] of text.matchAll(
    /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+([^#\n]+)|import[ \t]+([^#\n]+))/gm,
  )) {
    const modules =
      plain === undefined ? [from ?? ''] : plain.split(',').map((one) => one.trim().split(/\s/, 1)[0] ?? '');
    for (const module of modules) {
      const path = pathOfModule(module);
      if (path === undefined) continue;
      paths.add(path);
      if (plain !== undefined) continue;
      for (const [name] of names.matchAll(/\w+/g)) if (name.length <= longest) paths.add(`${path}/${name}`);
    }
  }
  return { paths: [...paths], bare: [], isComputed: false };
}

/** Undefined for a path that is too long to exist. */
function pathOfModule(module: string): string | undefined {
  const [dots = ''] = /^\.*/.exec(module) ?? [];
  if (module.length + 2 * dots.length > longest) return undefined;
  const up = dots.length <= 1 ? './' : '../'.repeat(dots.length - 1);
  return `${up}${module.slice(dots.length).replaceAll('.', '/')}`;
}
