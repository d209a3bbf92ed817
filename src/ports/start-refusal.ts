/** Why a program must not be started now. */
export interface StartRefusal {
  /** Part of a sentence, with the next step. */
  readonly why: string;
  /** A temporary refusal: the start is retried every second. */
  readonly isPassing?: boolean;
}

/** Called right before each start. Undefined: the program may start. */
export type CheckStart = () => Promise<StartRefusal | undefined>;

/** How long to wait after a temporary refusal. */
export const passingMs = 1000;
