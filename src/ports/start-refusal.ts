/** Why a program must not be started now. */
export interface StartRefusal {
  /** A part of a sentence, with the next step. */
  readonly why: string;
  /** Only for now: the start is tried again every second. */
  readonly isPassing?: boolean;
}

/** Asked right before each start. Undefined: the program may start. */
export type CheckStart = () => Promise<StartRefusal | undefined>;

/** How long to wait after a passing refusal. */
export const passingMs = 1000;
