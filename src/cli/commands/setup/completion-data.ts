import type { Command } from '../../command.js';

/** What can be completed at a position of the command line. */
export type Fill =
  | { readonly kind: 'none' | 'files' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export interface Option {
  readonly name: string;
  readonly about: string;
  /** How to complete its value; undefined for a flag. */
  readonly value: Fill | undefined;
}

export interface Entry {
  /** The command words, such as `tools list`. */
  readonly name: string;
  readonly about: string;
  readonly options: readonly Option[];
  readonly argument: Fill;
}

/** Everything a shell needs to complete the command line. */
export interface Line {
  /** The first words: commands and groups. */
  readonly first: readonly { readonly name: string; readonly about: string }[];
  /** The names of the groups. */
  readonly groups: readonly string[];
  readonly entries: readonly Entry[];
}

/** Values by argument or option name; `run --agent` applies to one command only. */
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

/** Values for an option of one command take precedence over values for the option name. */
function fillOf(placeholder: string, known: Known, ...options: readonly string[]): Fill {
  const name = placeholder.replace(/[<>[\].]/g, '');
  const words = [...options, name].map((one) => known[one]).find((one) => one !== undefined);
  if (words !== undefined) return { kind: 'words', words };
  return { kind: /file|path|folder|workflow/.test(name) ? 'files' : 'none' };
}

/** The commands of a group, without the group name. */
export function below(group: string, { entries }: Line): readonly { name: string; about: string }[] {
  return entries
    .filter(({ name }) => name.startsWith(`${group} `))
    .map(({ name, about }) => ({ name: name.slice(group.length + 1), about }));
}
