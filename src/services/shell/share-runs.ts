/**
 * Lets simultaneous callers share one run. A call during a run waits for the next one, because the current run may have
 * passed what the caller asks about.
 */
export function shareRuns<T>(run: () => Promise<T>): () => Promise<T> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= current.then(() => {
      next = undefined;
      const started = run();
      current = started.catch(() => undefined);
      return started;
    });
    return next;
  };
}
