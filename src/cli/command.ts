import type { Output } from './output.js';

/** What a command is, as data: help, parsing and the reference page are made from it. */
export interface Command {
  /** Its words, such as `tools list`. */
  readonly name: string;
  readonly summary: string;
  /** In commander's notation: `<needed>`, `[optional]`, `[several...]`. */
  readonly arguments?: readonly { readonly name: string; readonly about: string }[];
  readonly options?: readonly OptionSpec[];
  readonly examples: readonly string[];
  /** True for a command that runs until it is told to stop: then stopping is no failure. */
  readonly isService?: true;
  /** Gives the exit status: one of `exitCodes`, or what a workflow says. */
  run(given: Given, context: Context): Promise<number>;
}

export interface OptionSpec {
  readonly name: string;
  /** One letter that means the same. */
  readonly short?: string;
  /** May be given several times; `Given.lists` has them. */
  readonly isRepeated?: true;
  /** The name of its value; a flag without one is true or absent. */
  readonly value?: string;
  readonly about: string;
}

/** What was typed. */
export interface Given {
  readonly arguments: readonly string[];
  readonly options: Readonly<Record<string, string | true | undefined>>;
  /** Options that may be given several times. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
}

/** Where a command runs. Nothing of the process is touched but through this. */
export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly output: Output;
  /** Aborts when the user interrupts. */
  readonly signal: AbortSignal;
  readonly input: Input;
  /** Another program has the terminal from now on: its keys are for that program, Ctrl+C too. */
  lendTerminal(): void;
}

export interface Input {
  /** Whether a person can be asked. */
  readonly isTerminal: boolean;
  readAll(): Promise<string>;
  /** `isHidden`: what is typed is not shown. */
  ask(question: string, isHidden?: boolean): Promise<string>;
}

export const configOption: OptionSpec = {
  name: 'config',
  value: 'file',
  about: 'Read this file instead of the nearest tidegate.yaml.',
};

export const toolsOption: OptionSpec = {
  name: 'tools',
  value: 'patterns',
  about: 'Offer only these tools: names or patterns with * and ?, divided by commas; !name takes away.',
};

export const asOption: OptionSpec = {
  name: 'as',
  value: 'principal',
  about:
    'Act as this principal, with what is granted to it: agent:alice. Default: you, who may do everything.',
};

export const profileOptions: readonly OptionSpec[] = [
  { name: 'profile', value: 'name', about: 'Go beyond this profile for nobody: see tidegate profile list.' },
  { name: 'role', value: 'name', about: 'The same, for profiles that are called roles.' },
];

/** The text given for an option, or undefined. */
export function textOption(given: Given, name: string): string | undefined {
  const value = given.options[name];
  return typeof value === 'string' ? value : undefined;
}
