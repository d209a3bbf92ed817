const patienceMs = 60_000;

/**
 * One that works is used for as long as the gate runs. A failed trial may have had a passing cause, such as too many
 * processes, so it counts for a minute only; commands that come meanwhile do not wait for another.
 */
export function createSandboxChoice(
  find: () => Promise<string | undefined>,
  now: () => number,
): () => Promise<string | undefined> {
  let chosen: Promise<string | undefined> | undefined;
  let failedAt = Number.POSITIVE_INFINITY;

  const tryAgain = async (): Promise<string | undefined> => {
    let program: string | undefined;
    try {
      program = await find();
      return program;
    } finally {
      if (program === undefined) failedAt = now();
    }
  };

  return () => {
    if (chosen === undefined || now() - failedAt >= patienceMs) {
      failedAt = Number.POSITIVE_INFINITY;
      chosen = tryAgain();
    }
    return chosen;
  };
}
