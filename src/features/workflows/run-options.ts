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
import type { WorkflowPlace } from '../../workspace/workflow-library.js';

export interface RunOptions extends WorkflowPlace {
  readonly version: string;
  /** A name or a path. */
  readonly workflow?: string;
  /** Workflow text without a file. */
  readonly text?: string;
  readonly resume?: string;
  /** Limits every session in the run to this profile. A resumed run keeps its original profile. */
  readonly profile?: string;
  /** The `--tools` of the gateway through which an agent started the run. A resumed run keeps them. */
  readonly toolPatterns?: readonly string[];
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly only?: { readonly step: string; readonly states: ReadonlyMap<string, StepResult> };
  readonly signal: AbortSignal;
  readonly onEvent: (event: RunEvent) => void;
  readonly ask?: (question: string) => Promise<string>;
  /** The library to use instead of the current files. */
  readonly library?: Library;
  /** Called before every step: whether the files are still trusted. */
  readonly isStillTrusted?: () => Promise<boolean>;
  /** An agent started the run through the gateway: its access applies, and no step may use tools outside the gateway. */
  readonly isForAgent?: boolean;
  /** Resume a run that an agent started, with the operator's access. */
  readonly takesOver?: boolean;
  /** Called when the file changed since the run started. */
  readonly onChanged?: (file: string) => void;
  /** Called when agents may miss tools because the configuration is not trusted. */
  readonly onUntrusted?: (file: string) => void;
  /** Called when the given profile affects no step. */
  readonly onIdleProfile?: (profile: string) => void;
  /** Called with findings that do not stop the run. */
  readonly onFindings?: (findings: readonly Finding[]) => void;
}

export type RunAnswer =
  | { readonly kind: 'ran'; readonly result: RunResult; readonly folder: string }
  | { readonly kind: 'invalid'; readonly file: string; readonly findings: readonly Finding[] }
  | { readonly kind: 'inputs'; readonly problems: readonly string[]; readonly missing: readonly Input[] }
  /** `known`: the available names. */
  | {
      readonly kind: 'unknown';
      readonly what: 'workflow' | 'run' | 'step';
      readonly name: string;
      readonly known: readonly string[];
    }
  /** The run is already completed. */
  | { readonly kind: 'finished'; readonly run: RunReport }
  | { readonly kind: 'busy'; readonly run: string }
  /** An agent started the run, and its files are no longer trusted. */
  | { readonly kind: 'untrusted'; readonly run: RunReport }
  /** An agent started the run, and it may no longer run workflows. */
  | { readonly kind: 'revoked'; readonly run: RunReport }
  /** The journal is damaged. */
  | { readonly kind: 'broken'; readonly run: string };

/** A run and its folder. */
export interface RunPlace {
  readonly runId: string;
  readonly folder: string;
  /** Only for a resumed run. */
  readonly head?: RunHead;
}
