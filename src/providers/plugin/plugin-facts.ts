import type { PluginFacts, ProviderStatus } from '../../kernel/index.js';
import type { PluginOptions } from './options.js';

/** What is known of a plugin of either kind: why it may not run comes before how it runs. */
export function pluginFacts(
  {
    name,
    version,
    capabilities,
    closed,
  }: Pick<PluginOptions, 'name' | 'version' | 'capabilities' | 'closed'>,
  status: ProviderStatus,
): PluginFacts {
  const detail = closed?.why ?? status.detail;
  return {
    name,
    state: closed?.state ?? status.state,
    ...(detail !== undefined && { detail }),
    ...(version !== undefined && { version }),
    capabilities,
  };
}
