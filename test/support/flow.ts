import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openPlace, type Place } from './gate.js';
import { type Ran, runGate, type RunMore } from './run-program.js';

/** What `tidegate run --json` says of a run. */
export interface FlowResult {
  readonly run: string;
  readonly status: string;
  readonly message?: string;
  readonly code?: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly folder: string;
  readonly steps: readonly {
    readonly name: string;
    readonly status: string;
    readonly output: string;
    readonly stderr?: string;
    readonly exit_code: number;
    readonly attempts: number;
    readonly usage?: { readonly input: number; readonly output: number };
    readonly error?: { readonly code: string; readonly message: string };
    /** Calls of the agent's own tools that the agent CLI refused. */
    readonly refused?: readonly { readonly tool: string; readonly reason: string }[];
  }[];
}

export interface TranscriptLine {
  readonly seq: number;
  readonly run_id: string;
  readonly type: string;
  readonly path?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A place with workflows, and ways to run them on the built program. */
export interface FlowPlace extends Place {
  readonly workspace: string;
  /** Writes a file of the workspace. */
  file(name: string, text: string): string;
  run1(args: readonly string[], more?: RunMore): Promise<Ran>;
  /** Runs a workflow, given as data, and reads what it says. */
  flow(
    workflow: object,
    args?: readonly string[],
    more?: RunMore,
  ): Promise<{ readonly status: number | null; readonly result: FlowResult }>;
  transcript(result: FlowResult): readonly TranscriptLine[];
  logLines(result: FlowResult): readonly Readonly<Record<string, unknown>>[];
}

export function openFlowPlace(config: object = {}): FlowPlace {
  const place = openPlace({ builtins: ['*'], ...config });
  const workspace = join(place.directory, 'workspace');
  let count = 0;
  const read = (result: FlowResult, name: string): readonly unknown[] =>
    readFileSync(join(result.folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  const flows: FlowPlace = {
    ...place,
    workspace,
    file(name, text) {
      const path = join(workspace, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    run1: (args, more = {}) => runGate(place, args, more),
    async flow(workflow, args = [], more = {}) {
      count += 1;
      const name = flows.file(
        `flow-${String(count)}.yaml`,
        JSON.stringify({ name: 'test', ...workflow }, undefined, 2),
      );
      const { stdout, status, stderr } = await runGate(place, ['run', name, '--json', ...args], more);
      try {
        return { status, result: JSON.parse(stdout) as FlowResult };
      } catch {
        throw new Error(`no result: ${stdout}\n${stderr}`);
      }
    },
    transcript: (result) => read(result, 'transcript.jsonl') as readonly TranscriptLine[],
    logLines: (result) => read(result, 'log.jsonl') as readonly Readonly<Record<string, unknown>>[],
  };
  return flows;
}

/** An agent step at a scripted model. */
export function agentStep(url: string, more: object = {}): object {
  return {
    type: 'agent',
    provider: 'openai_compatible',
    prompt: 'go',
    options: { base_url: url, model: 'm' },
    on_success: 'done',
    ...more,
  };
}

export const done = { type: 'terminal' } as const;

export function filesOf(folder: string): readonly string[] {
  return readdirSync(folder).sort();
}
