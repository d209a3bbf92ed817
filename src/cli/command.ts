import type { Output } from './terminal/output.js';

/** A command as data. Help, parsing and the reference page are generated from it. */
export interface Command {
  /** The command words, such as `tools list`. */
  readonly name: string;
  readonly summary: string;
  /** In commander's notation: `<needed>`, `[optional]`, `[several...]`. */
  readonly arguments?: readonly { readonly name: string; readonly about: string }[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly string[];
  /** True for a command that runs until it is stopped, so an interruption is not a failure. */
  readonly isService?: true;
  /** Returns the exit status: one of `exitCodes`, or the status of a workflow. */
  run(given: Given, context: Context): Promise<number>;
}

export interface OptionSpec {
  readonly name: string;
  /** One-letter form. */
  readonly short?: string;
  /** Can be given several times; the values are in `Given.lists`. */
  readonly isRepeated?: true;
  /** The placeholder for its value. Without it, the option is a flag. */
  readonly value?: string;
  readonly about: string;
  /** The option that this one requires to have any effect. */
  readonly goesWith?: string;
}

/** The parsed command line of one command. */
export interface Given {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string | true | undefined>>;
  /** Values of options that can be given several times. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

/** The environment of a command. Commands access the process only through this. */
export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly output: Output;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  readonly input: Input;
  /** Hands the terminal to another program, including Ctrl+C. */
  lendTerminal(): void;
}

export interface Input {
  /** Whether the user can be asked. */
  readonly isTerminal: boolean;
  readAll(): Promise<string>;
  /** `isHidden`: do not echo what is typed. */
  ask(question: string, isHidden?: boolean): Promise<string>;
}

export const configOption: OptionSpec = {
  name: 'config',
  value: 'file',
  about: 'Use this file instead of the nearest tidegate.yaml.',
};

export const toolsOption: OptionSpec = {
  name: 'tools',
  value: 'patterns',
  about:
    'Offer only these tools: names or patterns with * and ?, separated by commas. !name excludes a tool.',
};

export const asOption: OptionSpec = {
  name: 'as',
  value: 'principal',
  about:
    'Act as this principal, such as agent:alice, with its grants. Default: the operator, who may do everything.',
};

export const profileOptions: readonly OptionSpec[] = [
  {
    name: 'profile',
    value: 'name',
    about: 'Limit every session to this profile. See `tidegate profile list`.',
  },
  { name: 'role', value: 'name', about: 'Same as --profile.' },
];

/** The text given for an option, or undefined. */
export function textOption(given: Given, name: string): string | undefined {
  const value = given.options[name];
  return typeof value === 'string' ? value : undefined;
}
