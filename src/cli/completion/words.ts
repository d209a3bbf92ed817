import type { Command } from '../command.js';

/** What can stand somewhere on the command line. */
export type Fill =
  | { readonly kind: 'none' | 'files' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export interface Option {
  readonly name: string;
  readonly about: string;
  /** What its value is; undefined for a flag. */
  readonly value: Fill | undefined;
}

export interface Entry {
  /** Its words, such as `tools list`. */
  readonly name: string;
  readonly about: string;
  readonly options: readonly Option[];
  readonly argument: Fill;
}

/** Everything that a shell needs to know of the command line. */
export interface Line {
  /** What stands first: commands and groups of them. */
  readonly first: readonly { readonly name: string; readonly about: string }[];
  /** The names of the groups. */
  readonly groups: readonly string[];
  readonly entries: readonly Entry[];
}

/** Words by the name of the argument, or of the option, that takes them; `run --agent` is that of one command. */
export type Known = Readonly<Record<string, readonly string[]>>;

export function lineOf(
  commands: readonly Command[],
  groups: Readonly<Record<string, string>>,
  known: Known,
): Line {
  const entries = commands.map((command) => entryOf(command, known));
  const seen = new Map(
    entries.map(({ name, about }) => {
      const [head = '', below] = name.split(' ');
      return [head, { name: head, about: below === undefined ? about : (groups[head] ?? about) }] as const;
    }),
  );
  const isGroup = (head: string): boolean => entries.some(({ name }) => name.startsWith(`${head} `));
  return { first: [...seen.values()], groups: [...seen.keys()].filter(isGroup), entries };
}

function entryOf({ name, summary, arguments: taken = [], options = [] }: Command, known: Known): Entry {
  const [argument] = taken;
  const own = options.map(({ name: option, about, value }) => ({
    name: `--${option}`,
    about,
    value: value === undefined ? undefined : fillOf(value, known, `${name} --${option}`, `--${option}`),
  }));
  return {
    name,
    about: summary,
    options: [
      ...own,
      { name: '--json', about: 'Print the result as JSON.', value: undefined },
      { name: '--help', about: 'Print this help.', value: undefined },
    ],
    argument: argument === undefined ? { kind: 'none' } : fillOf(argument.name, known),
  };
}

/** What is known of an option of one command goes before what is known of all that are called so. */
function fillOf(placeholder: string, known: Known, ...options: readonly string[]): Fill {
  const name = placeholder.replace(/[<>[\].]/g, '');
  const words = [...options, name].map((one) => known[one]).find((one) => one !== undefined);
  if (words !== undefined) return { kind: 'words', words };
  return { kind: /file|path|folder|workflow/.test(name) ? 'files' : 'none' };
}

/** The commands of a group, without its name. */
export function below(group: string, { entries }: Line): readonly { name: string; about: string }[] {
  return entries
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name, about }) => ({ name: name.slice(group.length + 1), about }));
}
