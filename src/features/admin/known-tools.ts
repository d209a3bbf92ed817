import { ConfigRefused } from '../../workspace/config-refused.js';
import { knownCatalogue } from '../../workspace/known-catalogue.js';
import type { KnownTools } from '../../workspace/policy/check-policy.js';
import type { OpenTidegate, TidegateOptions } from '../../workspace/tidegate.js';

/** The tools known so far; starts no servers. Undefined if the configuration has errors. */
export async function knownTools(
  openTidegate: OpenTidegate,
  place: Pick<TidegateOptions, 'cwd' | 'env' | 'version' | 'configFile'>,
): Promise<KnownTools | undefined> {
  try {
    const tidegate = await openTidegate({ ...place, mode: 'command', logLevel: 'silent' });
    try {
      const { gateway, access } = tidegate;
      const { specs } = knownCatalogue(gateway, access.local.principal);
      const known = new Set<string>(specs.map(({ source }) => source));
      const unlisted = gateway.registry
        .status()
        .filter(({ source, state }) => source.startsWith('server:') && state !== 'disabled')
        .map(({ source }): string => source);
      return {
        tools: specs.filter((spec) => spec.kind === 'tool'),
        unlisted: unlisted.filter((source) => !known.has(source)),
      };
    } finally {
      await tidegate.close();
    }
  } catch (error) {
    if (error instanceof ConfigRefused) return undefined;
    throw error;
  }
}
