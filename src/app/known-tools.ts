import type { ToolSpec } from '../kernel/index.js';
import { ConfigRefused } from './config-refused.js';
import { knownCatalogue } from './known-catalogue.js';
import { openTidegate } from './open-tidegate.js';
import type { TidegateOptions } from './tidegate.js';

export interface KnownTools {
  readonly tools: readonly ToolSpec[];
  /** Servers that are configured and whose tools nobody knows yet, those of an untrusted file among them. */
  readonly unlisted: readonly string[];
}

/** The tools of a place as far as they are known; nothing is started for it. Undefined where its configuration has errors. */
export async function knownTools(
  place: Pick<TidegateOptions, 'cwd' | 'env' | 'version' | 'configFile'>,
): Promise<KnownTools | undefined> {
  try {
    const tidegate = await openTidegate({ ...place, mode: 'command', logLevel: 'silent' });
    try {
      const { gateway, access } = tidegate;
      const { specs } = knownCatalogue(gateway, access.local.principal);
      const known = new Set<string>(specs.map(({ source }) => source));
      const unlisted = gateway
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
