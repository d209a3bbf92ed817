import { join } from 'node:path';
import type { Names } from '../expression/evaluate.js';
import type { Input } from '../grammar/workflow.js';
import type { Library } from '../library.js';
import type { FolderKind } from '../workflow-folders.js';
import type { Scope } from '../template/render.js';
import { TemplateError } from '../template/template.js';
import type { StepResult } from './result.js';

/** Position in a loop. */
export interface LoopPlace {
  readonly item: unknown;
  readonly index: number;
  /** -1 if unknown. */
  readonly length: number;
  readonly parent?: LoopPlace;
}

export interface ScopeParts {
  readonly runId: string;
  readonly name: string;
  readonly startedAt: number;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly declared: readonly Input[];
  readonly states: ReadonlyMap<string, StepResult>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly library: Library;
  readonly identity: { readonly user: string; readonly hostname: string };
  readonly current: string;
  readonly loop?: LoopPlace;
  readonly error?: {
    readonly message: string;
    readonly state: string;
    readonly exitCode: number;
    readonly type: string;
  };
  readonly now: number;
}

/** The values that templates and conditions can use at this moment of the run. */
export function createScope(parts: ScopeParts): { readonly template: Scope; readonly names: Names } {
  const states = Object.fromEntries([...parts.states].map(([name, result]) => [name, stateNames(result)]));
  const shared = {
    states,
    env: parts.env,
    workflow: {
      ID: parts.runId,
      Name: parts.name,
      CurrentState: parts.current,
      StartedAt: new Date(parts.startedAt).toISOString(),
      Duration: `${((parts.now - parts.startedAt) / 1000).toFixed(3)}s`,
    },
    context: { WorkingDir: parts.library.cwd, User: parts.identity.user, Hostname: parts.identity.hostname },
    ...(parts.loop && { loop: loopNames(parts.loop) }),
    ...(parts.error && { error: errorNames(parts.error) }),
  };
  // A declared input without a value is empty in templates and missing in conditions.
  const empty = Object.fromEntries(parts.declared.map(({ name }) => [name, '']));
  const folders = foldersOf(parts.library);
  const values = { ...shared, inputs: { ...empty, ...parts.inputs }, awf: folders, tidegate: folders };
  return {
    names: { ...shared, inputs: parts.inputs },
    template: { values, readFile: (path) => readInside(parts.library, path) },
  };
}

function stateNames(result: StepResult): object {
  const { output, stderr, exitCode, status, response, json, usage } = result;
  return {
    Output: output,
    Stderr: stderr,
    ExitCode: exitCode,
    Status: status,
    Response: response,
    JSON: json ?? {},
    TokensUsed: (usage?.input ?? 0) + (usage?.output ?? 0),
    TokensInput: usage?.input ?? 0,
    TokensOutput: usage?.output ?? 0,
    TokensEstimated: usage?.isEstimated ?? false,
  };
}

function loopNames({ item, index, length, parent }: LoopPlace): object {
  return {
    Item: item,
    Index: index,
    Index1: index + 1,
    First: index === 0,
    Last: length >= 0 && index === length - 1,
    Length: length,
    ...(parent && { Parent: loopNames(parent) }),
  };
}

function errorNames({ message, state, exitCode, type }: NonNullable<ScopeParts['error']>): object {
  return { Message: message, State: state, ExitCode: exitCode, Type: type };
}

const shelves: readonly FolderKind[] = ['prompts', 'scripts', 'skills', 'roles', 'workflows', 'plugins'];

function foldersOf({ home }: Library): Readonly<Record<string, string>> {
  const named = shelves.map((shelf) => [`${shelf}_dir`, join(home, shelf)] as const);
  return { config_dir: home, data_dir: home, pack_name: '', ...Object.fromEntries(named) };
}

function readInside(library: Library, path: string): string {
  try {
    return library.readInside(path).toString('utf8');
  } catch (error) {
    // System errors contain absolute paths: don't show them.
    const isSystems = error instanceof Error && 'syscall' in error;
    const why = isSystems || !(error instanceof Error) ? '' : `: ${error.message}`;
    throw new TemplateError(`readFile: ${path} cannot be read${why}.`);
  }
}
