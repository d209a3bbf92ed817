const patienceMs = 60_000;

/**
 * Uses a working sandbox for the gateway's lifetime. A failed trial may have a temporary cause, such as too many
 * processes, so it counts for one minute; until then commands don't wait for another trial.
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
