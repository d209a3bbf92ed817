import { mayHavePlugins } from '../../config/index.js';
import { createNoPlugins, type Plugins } from '../../kernel/index.js';
import type { WorkflowPlace } from './library.js';

/** The plugins of a place, for the time of some work. A place that has none opens no gate. */
export async function withPluginsOf<T>(
  place: WorkflowPlace & { readonly version: string },
  work: (plugins: Plugins) => Promise<T>,
): Promise<T> {
  const { cwd, env, version, configFile } = place;
  if (!mayHavePlugins(cwd, env)) return work(createNoPlugins());
  const { openTidegate } = await import('../open-tidegate.js');
  const more = configFile === undefined ? {} : { configFile };
  const tidegate = await openTidegate({ cwd, env, version, mode: 'command', ...more });
  try {
    return await work(tidegate.plugins);
  } finally {
    await tidegate.close();
  }
}
