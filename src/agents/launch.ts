import { join } from 'node:path';
import { sha256Of } from '../lib/sha256.js';
import { isRecord } from '../lib/is-record.js';
import type { AllowedTool, Grant, NativePermissions } from './native-permissions.js';

/** How to start one agent CLI and read its output. Each CLI has one file. */
export interface AgentCli {
  /** Provider name in workflows. */
  readonly name: string;
  /** Product name. */
  readonly title: string;
  /** Program name on PATH. */
  readonly program: string;
  /** Arguments for a first call; its output becomes `LaunchSettings.asked`. */
  readonly asks?: readonly string[];
  /** Its own tools. The isolation test calls all of them. */
  readonly natives: readonly NativeTool[];
  /** Harmless tools that may stay next to the gateway tools. */
  readonly leftovers: readonly string[];
  /** The answer its model gets for a missing tool. Any other answer means the tool exists. */
  readonly refusal: RegExp;
  /** It appends the API version to the model address. */
  readonly addsVersion: boolean;
  /** Arguments a user may add in a terminal. Nothing else: an unreviewed flag could undo the isolation. */
  readonly words: OwnWords;
  /** A line on standard error after which its output cannot be trusted. */
  readonly fatal?: RegExp;
  /** Install command. */
  readonly install: string;
  /** Its usual API key variable. */
  readonly keyEnv: string;
  /** How to log in. */
  readonly login: string;
  /**
   * Its client name, if it hides the gateway's instructions from its model while isolated.
   * `LaunchSettings.guidance` then contains that text.
   */
  readonly hidesGuidanceAs?: string;
  /** Variable with the model address, if the user sets one. */
  readonly addressEnv?: string;
  /** Translates an `allowed_tools` entry; undefined if the CLI cannot express it. Absent: no list supported. */
  readonly grant?: (tool: AllowedTool) => Grant | undefined;
  /** With `native_permissions: edit`, it runs commands in its own sandbox. Other CLIs deny them. */
  readonly sandboxesCommands?: true;
  plan(settings: LaunchSettings): LaunchPlan;
  /** Parses its output lines. `server` is the gateway name used in the plan. */
  createReader(server: string): (line: string) => readonly CliEvent[];
  /** Parses standard error, for a CLI that reports denied calls only there. */
  createErrorReader?(): (line: string) => readonly CliEvent[];
}

export interface OwnWords {
  /** Flags without a value. */
  readonly flags: readonly string[];
  /** Flags with a value. */
  readonly valued: readonly string[];
  /** Flags whose value is optional. */
  readonly optional: readonly string[];
  /** Flags whose value is the model. */
  readonly model: readonly string[];
  readonly texts: OwnTexts;
  /** Subcommands that may come first. */
  readonly commands: readonly { readonly name: string; readonly texts: OwnTexts }[];
}

/** How to treat an argument that is not a flag. `sentence`: it must not look like a subcommand. */
export type OwnTexts = 'none' | 'sentence' | 'any';

/** A tool the CLI may have, with arguments that would leave a trace in its working directory. */
export interface NativeTool {
  readonly name: string;
  readonly namespace?: string;
  /** Sent as free text instead of JSON. */
  readonly isText?: boolean;
  readonly input: (trace: string) => unknown;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LaunchSettings {
  readonly program: string;
  readonly prompt: string;
  readonly system?: string;
  /** Instructions of the gateway, if the CLI does not pass them on. */
  readonly guidance?: string;
  readonly model?: string;
  /** CLI session to resume. */
  readonly resume?: string;
  /** False: it keeps its own tools and gets ours in addition. */
  readonly isIsolated: boolean;
  /** What it may do with its own tools, if it keeps them. */
  readonly natives: NativePermissions;
  /** Whether it is started by root. */
  readonly isRoot?: true;
  /** False: isolation of this version has not been verified. */
  readonly isProven: boolean;
  /** Gateway name: random so that no file of a checkout can use it, and fixed during a run. */
  readonly server: string;
  /** Agent name for CLIs that need one, fixed during a run. */
  readonly agent: string;
  /** The command that connects the CLI to the gateway. */
  readonly gatewayCommand: { readonly command: string; readonly args: readonly string[] };
  /** The project the agent works on. */
  readonly workspace: string;
  /** Folder for the plan files of this launch. */
  readonly folder: string;
  /** Folder kept after the launch, for sessions to resume. */
  readonly keep: string;
  /** The user's environment. */
  readonly env: Environment;
  /** A custom endpoint. */
  readonly endpoint?: Endpoint;
  /** Turns telemetry and updates off, because nothing may leave the machine. Otherwise the user's settings apply. */
  readonly isQuiet?: boolean;
  /** Output of the first call. */
  readonly asked?: string;
  /** Content of a user file; undefined if it does not exist. */
  readonly userFile: (path: string) => string | undefined;
  /** Interactive use in a terminal: no prompt, and these command-line arguments. */
  readonly own?: readonly string[];
}

export interface Endpoint {
  readonly url: string;
  /** Variable with the API key. */
  readonly keyEnv: string;
}

export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  /** Start folder, created if missing, for a CLI that runs files from it. Default: the workspace. */
  readonly cwd?: string;
  /** Changes to the user's environment. Undefined: unset the variable. */
  readonly env: Environment;
  readonly files: readonly PlanFile[];
  readonly stdin: string;
  readonly isolation: 'full' | 'additive';
  /** Shown before it starts. */
  readonly warnings: readonly string[];
}

/**
 * A file in the launch folder. `link`: the user's own file, which the CLI may renew. `isFolder`: created if missing, as
 * the CLI itself would do.
 */
export type PlanFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly link: string; readonly isFolder?: true };

/** Parsed CLI output. `isNative`: the tool belongs to the CLI, not to the gateway. */
export type CliEvent =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'offered'; readonly tools: readonly string[]; readonly isConnected: boolean }
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
      /** Whether the call ran. Denied calls have results too. */
      readonly hasRun: boolean;
      /** Its permissions denied the call. */
      readonly isRefused?: true;
      readonly text: string;
    }
  | { readonly kind: 'usage'; readonly input: number; readonly output: number; readonly cost?: number }
  | { readonly kind: 'answer'; readonly text: string }
  /** The model request failed and will be retried. */
  | { readonly kind: 'retry'; readonly reason: string; readonly status?: number; readonly waitMs?: number }
  | { readonly kind: 'error'; readonly message: string; readonly status?: number };

/**
 * Prevents a CLI from running git in the workspace: the repository's configuration can name programs (filters,
 * monitors, signers) that git would run. The gateway's tools do not see this variable.
 */
export function withoutGit({ isIsolated, folder }: LaunchSettings): Environment {
  return isIsolated ? { GIT_DIR: join(folder, 'no-repository') } : {};
}

/**
 * An empty folder for a CLI that reads files from its start folder. Each project has its own, because a CLI finds its
 * conversations by folder.
 */
export function emptyFolder({ keep, workspace }: LaunchSettings, name: string): string {
  const project = sha256Of(workspace).slice(0, 16);
  return join(keep, project, name);
}

/** Tells an agent in an empty folder where its project is. */
export function whereabouts({ workspace }: LaunchSettings): string {
  return `The project you work on is ${workspace}. Tools resolve relative paths against that folder. \
Ignore the working directory named elsewhere: it is empty.`;
}

/** Instruction for an agent whose own tools are not verified to be off. */
export function mitigation(server: string): string {
  return `Use only the tools of the MCP server "${server}". Do not use any other tool, not even a built-in one: \
its calls are not allowed here.`;
}

/** Text before the task: the system prompt and, if needed, the mitigation. */
export function wordsBefore(settings: LaunchSettings): string | undefined {
  const { system, guidance, isIsolated, isProven, server } = settings;
  const words = [
    ...(isIsolated && !isProven ? [mitigation(server)] : []),
    ...(system ? [system] : []),
    ...(guidance ? [guidance] : []),
  ];
  return words.length === 0 ? undefined : words.join('\n\n');
}

/** Warning for a launch with unverified isolation. */
export function coexistence({ isIsolated, isProven }: LaunchSettings, title: string): readonly string[] {
  if (!isIsolated || isProven) return [];
  return [`This version of ${title} has not been verified to use only tools from Tidegate.`];
}

export interface Json {
  readonly [key: string]: unknown;
}

/** Parses a stream line as an object; undefined if it is not one. */
export function readJson(line: string): Json | undefined {
  try {
    return asJson(JSON.parse(line));
  } catch {
    // Some lines are plain text for people.
    return undefined;
  }
}

export function asJson(value: unknown): Json | undefined {
  return isRecord(value) ? value : undefined;
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
