import type { PortService, Runner } from '../kernel/index.js';
import type { Tidegate, TidegateOptions } from './tidegate.js';

/** Nothing of workflows is loaded before the first tool asks for it. */
export function createRunnerService(
  gate: () => { readonly tidegate: Tidegate; readonly options: TidegateOptions },
): PortService<Runner> {
  return {
    readiness: () => ({ state: 'ready' }),
    async serve(session) {
      const { openRunner } = await import('./workflows/runner.js');
      return openRunner({ ...gate(), session });
    },
    close: () => Promise.resolve(),
  };
}
