import type { PortService } from '../ports/tool-ports.js';
import type { Runner } from '../ports/runner.js';
import type { Tidegate, TidegateOptions } from '../workspace/tidegate.js';
import type { RunLimit } from '../features/workflows/index.js';

/** Loads workflow code only when a tool first needs it. */
export function createRunnerService(
  gate: () => { readonly tidegate: Tidegate; readonly options: TidegateOptions },
): PortService<Runner> {
  let limit: Promise<RunLimit> | undefined;
  const theLimit = async (): Promise<RunLimit> =>
    (await import('../features/workflows/run-limit.js')).createRunLimit();
  return {
    readiness: () => ({ state: 'ready' }),
    async serve(session) {
      const { openRunner } = await import('../features/workflows/runner.js');
      return openRunner({ ...gate(), session, limit: await (limit ??= theLimit()) });
    },
    close: () => Promise.resolve(),
  };
}
