import type { PortService, Runner } from '../kernel/index.js';
import type { Tidegate, TidegateOptions } from './tidegate.js';
import type { RunLimit } from './workflows/run-limit.js';

/** Nothing of workflows is loaded before the first tool asks for it. */
export function createRunnerService(
  gate: () => { readonly tidegate: Tidegate; readonly options: TidegateOptions },
): PortService<Runner> {
  let limit: Promise<RunLimit> | undefined;
  const theLimit = async (): Promise<RunLimit> => (await import('./workflows/run-limit.js')).createRunLimit();
  return {
    readiness: () => ({ state: 'ready' }),
    async serve(session) {
      const { openRunner } = await import('./workflows/runner.js');
      return openRunner({ ...gate(), session, limit: await (limit ??= theLimit()) });
    },
    close: () => Promise.resolve(),
  };
}
