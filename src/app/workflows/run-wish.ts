import type {
  Finding,
  Input,
  Library,
  RunEvent,
  RunHead,
  RunResult,
  StepResult,
} from '../../workflow/index.js';
import type { RunReport } from './run-folders.js';
import type { WorkflowPlace } from './library.js';

export interface RunWish extends WorkflowPlace {
  readonly version: string;
  /** A name or a path. */
  readonly workflow?: string;
  /** A workflow that has no file. */
  readonly text?: string;
  readonly resume?: string;
  /** Nobody in the run goes beyond this one. A run that goes on keeps the one that it began with. */
  readonly profile?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly only?: { readonly step: string; readonly states: ReadonlyMap<string, StepResult> };
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
  readonly ask?: (question: string) => Promise<string>;
  /** Where its files are, when not in the place as it is now. */
  readonly library?: Library;
  /** Asked before every step: whether the files are still what was trusted. */
  readonly isStillTrusted?: () => Promise<boolean>;
  /** Told that a run goes on with a file that is not what it was when it began. */
  readonly onChanged?: (file: string) => void;
  /** Told of a configuration whose servers are left out, although agents may want their tools: nobody trusted it. */
  readonly onUntrusted?: (file: string) => void;
  /** Told that a profile was named, and no step is one that it could hold back. */
  readonly onIdleProfile?: (profile: string) => void;
  /** Told what is wrong with a workflow that runs all the same. */
  readonly onFindings?: (findings: readonly Finding[]) => void;
}

export type RunAnswer =
  | { readonly kind: 'ran'; readonly result: RunResult; readonly folder: string }
  | { readonly kind: 'invalid'; readonly file: string; readonly findings: readonly Finding[] }
  | { readonly kind: 'inputs'; readonly problems: readonly string[]; readonly missing: readonly Input[] }
  /** `known`: what there is instead. */
  | {
      readonly kind: 'unknown';
      readonly what: 'workflow' | 'run' | 'step';
      readonly name: string;
      readonly known: readonly string[];
    }
  /** It was completed before: nothing is left to do. */
  | { readonly kind: 'finished'; readonly run: RunReport }
  | { readonly kind: 'busy'; readonly run: string }
  /** Its journal is not what a run writes. */
  | { readonly kind: 'broken'; readonly run: string };

/** The run as its folder knows it. */
export interface RunPlace {
  readonly runId: string;
  readonly folder: string;
  /** Of a run that is taken up again. */
  readonly head?: RunHead;
}
