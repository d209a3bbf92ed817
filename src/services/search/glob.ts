import { expandBraces } from './braces.js';
import { badGlob } from './failures.js';
import { type NamePattern, parseName } from './name-pattern.js';

/** A path pattern, split into a part that narrows the search and a part that tests each path. */
export interface Glob {
  /** The folder of all matches, as far as the pattern names it; absolute if it starts with `/`. */
  readonly folder: string;
  /** How deep below that folder matches can be; undefined if unlimited. */
  readonly depth: number | undefined;
  /** Names in ripgrep's syntax that cover at least every match; undefined for any name. */
  readonly names: readonly string[] | undefined;
  /** Whether every path below the folder matches. */
  readonly matchesAll: boolean;
  /** Takes the path below the folder. */
  matches(path: string): boolean;
}

type Step = NamePattern | '**';

const maxNames = 32;

/** Parses patterns; a path must match one of them. */
export function parseGlob(patterns: readonly string[]): Glob {
  const texts = patterns.flatMap(expandBraces);
  const isAbsolute = texts.some((text) => text.startsWith('/'));
  if (isAbsolute && !texts.every((text) => text.startsWith('/')))
    throw badGlob(patterns.join(','), 'mixes absolute and relative paths');
  const all = texts.map(stepsOf);
  const shared = sharedFolder(all);
  const rests = all.map((steps) => steps.slice(shared.length));
  const depths = rests.map((steps) => (steps.includes('**') ? Number.POSITIVE_INFINITY : steps.length));
  const depth = Math.max(...depths);
  return {
    folder: `${isAbsolute ? '/' : ''}${shared.join('/')}`,
    depth: Number.isFinite(depth) ? depth : undefined,
    names: looseNames(rests),
    matchesAll: rests.some(takesAll),
    matches: matcherOf(rests),
  };
}

function matcherOf(all: readonly (readonly Step[])[]): Glob['matches'] {
  const endings = endingsOf(all);
  if (endings !== undefined) return (path) => endings.some((ending) => path.endsWith(ending));
  return (path) => {
    const names = path.split('/');
    return all.some((steps) => fits(names, steps));
  };
}

// For the most common patterns, such as `*.ts` and `**/*.ts`, which need no splitting of the path.
function endingsOf(all: readonly (readonly Step[])[]): readonly string[] | undefined {
  const endings = all.map(([first, second, third]) =>
    first === '**' && second !== '**' && third === undefined ? second?.suffix : undefined,
  );
  return endings.every((ending) => ending !== undefined) ? endings : undefined;
}

function stepsOf(text: string): readonly Step[] {
  // As in ignore files: a bare name matches in every folder, and a folder means everything in it.
  const whole = text.endsWith('/') ? `${text}**` : text;
  const path = whole.includes('/') ? whole : `**/${whole}`;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  const steps = parts.map((part): Step => (part === '**' ? part : parseName(part)));
  // Several in a row mean the same as one.
  return steps.filter((step, index) => step !== '**' || steps[index - 1] !== '**');
}

/** The folder names that all patterns start with. The last name of each is a file. */
function sharedFolder(all: readonly (readonly Step[])[]): readonly string[] {
  const [first = []] = all;
  const shared: string[] = [];
  for (const [at, step] of first.entries()) {
    const name = step === '**' ? undefined : step.literal;
    const isShared = all.every((steps) => {
      const other = steps[at];
      return other !== undefined && other !== '**' && other.literal === name && at < steps.length - 1;
    });
    if (name === undefined || !isShared) break;
    shared.push(name);
  }
  return shared;
}

/** `**` and equivalents. */
function takesAll(steps: readonly Step[]): boolean {
  const [first, second = '**'] = steps;
  return first === '**' && steps.length <= 2 && (second === '**' || second.isAny);
}

function looseNames(all: readonly (readonly Step[])[]): readonly string[] | undefined {
  const names = new Set<string>();
  for (const steps of all) {
    const last = steps.at(-1);
    const name = last === undefined || last === '**' ? '*' : last.loose;
    if (name === '*' || name === '') return undefined;
    names.add(name);
  }
  return names.size > maxNames ? undefined : [...names];
}

/** The same algorithm as within a name, with `**` in place of `*`. */
function fits(names: readonly string[], steps: readonly Step[]): boolean {
  let step = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < names.length) {
    const wanted = steps[step];
    if (wanted === '**') {
      star = step;
      starAt = at;
      step += 1;
    } else if (wanted?.matches(names[at] ?? '') === true) {
      step += 1;
      at += 1;
    } else if (star !== -1) {
      starAt += 1;
      at = starAt;
      step = star + 1;
    } else return false;
  }
  // A `**` left at the end matches nothing: `a/**` means what is in `a`, not a file `a`.
  return step === steps.length;
}
