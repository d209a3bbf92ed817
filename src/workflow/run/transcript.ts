import { appendFileSync, closeSync, openSync } from 'node:fs';

export type TranscriptType =
  | 'run.started'
  | 'run.completed'
  | 'step.started'
  | 'step.completed'
  | 'step.call_workflow.started'
  | 'step.call_workflow.completed'
  | 'agent.started'
  | 'agent.launched'
  | 'message.user'
  | 'message.assistant'
  | 'tool.call'
  | 'tool.call.bypassed'
  | 'tool.result';

export interface TranscriptEntry {
  readonly type: TranscriptType;
  /** The step, with the steps around it. */
  readonly path?: string;
  readonly iteration?: number;
  readonly childRun?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Log of a run, for people and for replay. Append-only and without secrets. */
export interface Transcript {
  write(entry: TranscriptEntry): void;
  close(): void;
}

export interface TranscriptParts {
  readonly file: string;
  readonly runId: string;
  readonly parentRunId?: string;
  readonly redact: (value: unknown) => unknown;
  readonly now: () => number;
  /** Number of existing lines. */
  readonly from?: number;
}

export function openTranscript({
  file,
  runId,
  parentRunId,
  redact,
  now,
  from = 0,
}: TranscriptParts): Transcript {
  const descriptor = openSync(file, 'a', 0o600);
  let seq = from;
  return {
    write({ type, path, iteration, childRun, payload }) {
      seq += 1;
      const line = {
        seq,
        run_id: runId,
        ...(parentRunId !== undefined && { parent_run_id: parentRunId }),
        ...(childRun !== undefined && { child_run_id: childRun }),
        type,
        ...(path !== undefined && { path }),
        ...(iteration !== undefined && { iteration }),
        timestamp: new Date(now()).toISOString(),
        payload: redact(payload),
      };
      appendFileSync(descriptor, `${JSON.stringify(line)}\n`);
    },
    close: () => closeSync(descriptor),
  };
}
