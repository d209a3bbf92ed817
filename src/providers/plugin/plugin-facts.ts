import type { PluginFacts } from '../../ports/plugins.js';
import type { ProviderStatus } from '../../core/index.js';
import type { PluginOptions } from './options.js';

/** Describes a plugin of either kind. The reason why it may not run takes precedence over its status. */
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
