/** How one agent CLI is started, and what its output means. A CLI is one file with one of these. */
export interface AgentCli {
  /** Of the provider in workflows. */
  readonly name: string;
  /** As people call it. */
  readonly title: string;
  /** What it is called on PATH. */
  readonly program: string;
  /** Asked of the program before it is started: what it prints is `LaunchSettings.asked`. */
  readonly asks?: readonly string[];
  /** Names of its own tools: all of them are called when its isolation is tried. */
  readonly natives: readonly NativeTool[];
  /** What may stay beside the tools of the gate, because it can do nothing by itself. */
  readonly leftovers: readonly string[];
  /** What its model is told of a tool that it does not have. Any other answer comes from a tool that is there. */
  readonly refusal: RegExp;
  /** It adds the version to the address of its model itself. */
  readonly addsVersion: boolean;
  /** What a person may add to its command line in a terminal. Nothing else: a flag that nobody looked at may undo all. */
  readonly words: OwnWords;
  /** A line on its error output after which nothing of it is to be believed. */
  readonly fatal?: RegExp;
  /** Where to get it. */
  readonly install: string;
  /** The variable in which its users keep their key. */
  readonly keyEnv: string;
  /** How a person logs in. */
  readonly login: string;
  /** The variable that says where its model is, when the user sets it. */
  readonly addressEnv?: string;
  plan(settings: LaunchSettings): LaunchPlan;
  /** Reads the lines that it writes. `server` is what the gate was called in the plan. */
  createReader(server: string): (line: string) => readonly CliEvent[];
}

export interface OwnWords {
  /** Flags that stand alone. */
  readonly flags: readonly string[];
  /** Flags that take a value. */
  readonly valued: readonly string[];
  /** Those of them that may go without. */
  readonly optional: readonly string[];
  /** Those of them whose value is the model. */
  readonly model: readonly string[];
  readonly texts: OwnTexts;
  /** Commands of its own that may stand first. */
  readonly commands: readonly { readonly name: string; readonly texts: OwnTexts }[];
}

/** What one word that is no flag may be. `sentence`: nothing that could be the name of a command. */
export type OwnTexts = 'none' | 'sentence' | 'any';

/** A tool that the CLI itself may have, and arguments with which it would leave a trace in the folder where it works. */
export interface NativeTool {
  readonly name: string;
  readonly namespace?: string;
  /** Sent as free text and not as JSON. */
  readonly isText?: boolean;
  readonly input: (trace: string) => unknown;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LaunchSettings {
  /** The file to start. */
  readonly program: string;
  readonly prompt: string;
  readonly system?: string;
  readonly model?: string;
  /** The session of the CLI that is gone on with. */
  readonly resume?: string;
  /** False: its own tools stay, and ours come in addition. */
  readonly isIsolated: boolean;
  /** False: nobody has seen that the isolation of this version holds. */
  readonly isProven: boolean;
  /** What the gate is called: new for each launch, so that no file of a project can name it. */
  readonly server: string;
  /** A name for an agent of the CLI, where it needs one: new for each launch too. */
  readonly agent: string;
  /** What the CLI starts to reach the gate. */
  readonly gate: { readonly command: string; readonly args: readonly string[] };
  /** For the files of the plan, for this launch alone. */
  readonly folder: string;
  /** A folder that outlives the launch, for what a later one goes on with. */
  readonly keep: string;
  /** Of the user. */
  readonly env: Environment;
  /** Another model than the user's own. */
  readonly endpoint?: Endpoint;
  /** Where nothing may leave the machine: telemetry and updates are off. Otherwise they are as the user has them. */
  readonly isQuiet?: boolean;
  /** What the program printed when it was asked. */
  readonly asked?: string;
  /** Text of a file of the user; undefined where there is none. */
  readonly userFile: (path: string) => string | undefined;
  /** A person works with it in the terminal: no prompt, and these words of the command line. */
  readonly own?: readonly string[];
}

export interface Endpoint {
  readonly url: string;
  /** The variable that holds the key. */
  readonly keyEnv: string;
}

export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  /** What is different from the user's environment. Undefined: not set. */
  readonly env: Environment;
  readonly files: readonly PlanFile[];
  readonly stdin: string;
  readonly isolation: 'full' | 'additive';
  /** To be told before it starts. */
  readonly warnings: readonly string[];
}

/**
 * A file in the folder of the launch. `link`: what stands there is the user's own, which the CLI may renew. `isFolder`: it is
 * made where there is none, as the CLI itself would do.
 */
export type PlanFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly link: string; readonly isFolder?: true };

/** What a CLI said. `isNative`: the tool is its own and not one of the gate. */
export type CliEvent =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'offered'; readonly tools: readonly string[]; readonly isGateThere: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'use';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly isNative: boolean;
    }
  | {
      readonly kind: 'result';
      readonly id: string;
      readonly name: string;
      readonly isNative: boolean;
      /** It did something: refused calls have results too. */
      readonly hasRun: boolean;
      readonly text: string;
    }
  | { readonly kind: 'usage'; readonly input: number; readonly output: number; readonly cost?: number }
  | { readonly kind: 'answer'; readonly text: string }
  /** The model could not be asked, and will be asked again. */
  | { readonly kind: 'retry'; readonly reason: string; readonly status?: number; readonly waitMs?: number }
  | { readonly kind: 'error'; readonly message: string; readonly status?: number };

/** What an agent is told where its own tools could not be proven to be off. */
export function mitigation(server: string): string {
  return `Use only the tools of the MCP server "${server}". Do not use any other tool, not even a built-in one: \
its calls are not allowed here.`;
}

/** What comes before the task: the system prompt, and where it is needed the mitigation. */
export function wordsBefore({ system, isIsolated, isProven, server }: LaunchSettings): string | undefined {
  const words = [...(isIsolated && !isProven ? [mitigation(server)] : []), ...(system ? [system] : [])];
  return words.length === 0 ? undefined : words.join('\n\n');
}

/** The warning for a launch whose isolation nobody has seen. */
export function coexistence({ isIsolated, isProven }: LaunchSettings, title: string): readonly string[] {
  if (!isIsolated || isProven) return [];
  return [`Nothing proves that this version of ${title} has no tools but those of the gate.`];
}

export interface Json {
  readonly [key: string]: unknown;
}

/** A line of a stream as an object; undefined for what is none. */
export function readJson(line: string): Json | undefined {
  try {
    return asJson(JSON.parse(line));
  } catch {
    // Not every line of a CLI is for programs.
    return undefined;
  }
}

export function asJson(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(asJson).filter((one) => one !== undefined) : [];
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
