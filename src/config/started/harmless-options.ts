/** Options of a program that are known to be harmless. Abbreviations aren't. */
export interface Options {
  /** Letters without a value, and letters with one. */
  readonly flags: ReadonlySet<string>;
  readonly valued: ReadonlySet<string>;
  /** Long options, with the number of words that follow. */
  readonly long: ReadonlyMap<string, number>;
}

/** `longValued` names take one word, or the number of words after the colon (`arg:2`). */
export function optionsOf(flags: string, valued: string, long: string, longValued: string): Options {
  const entries = [
    ...namesOf(long).map((name) => [name, 0] as const),
    ...namesOf(longValued).map((one) => {
      const [name = '', count = '1'] = one.split(':');
      return [name, Number(count)] as const;
    }),
  ];
  return { flags: new Set(flags), valued: new Set(valued), long: new Map(entries) };
}

function namesOf(text: string): readonly string[] {
  return text.split(' ').filter((name) => name !== '');
}

/** What a shell may turn into an option: a variable, or a pattern that matches a file with such a name. */
const mayBecomeOption = /^[$*?[{]/;

/** Whether all options are known. Starting with operand number `free`, words may be anything. */
export function areAllowed(args: readonly string[], options: Options, free = Infinity): boolean {
  let operands = 0;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    // ssh also accepts options after the host.
    if (arg === '--') return free === Infinity;
    if (mayBecomeOption.test(arg)) return false;
    if (!arg.startsWith('-') || arg === '-') {
      operands += 1;
      if (operands >= free) return true;
      continue;
    }
    const taken = valuesOf(arg, options);
    if (taken === undefined) return false;
    at += taken;
  }
  return true;
}

/** The number of words that are values of an option. Undefined if the option isn't known. */
function valuesOf(arg: string, { flags, valued, long }: Options): number | undefined {
  if (arg.startsWith('--')) {
    const [name = '', value] = arg.slice(2).split('=', 2);
    const count = long.get(name);
    return value === undefined || count === undefined ? count : Math.max(count - 1, 0);
  }
  for (const [at, letter] of Array.from(arg.slice(1)).entries()) {
    if (valued.has(letter)) return at + 2 === arg.length ? 1 : 0;
    if (!flags.has(letter)) return undefined;
  }
  return 0;
}
