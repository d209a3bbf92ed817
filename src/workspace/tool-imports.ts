import type { Config } from '../config/index.js';
import type { FindImports } from '../providers/local/index.js';

const given: Readonly<Record<string, () => Promise<unknown>>> = {
  'tidegate/tool': () => import('../tool/index.js'),
  zod: () => import('zod'),
};

/** Modules that tools get from the running program, whatever is installed in the workspace. */
export async function givenModules(): Promise<Readonly<Record<string, unknown>>> {
  const modules = Object.entries(given).map(async ([name, load]) => [name, await load()] as const);
  return Object.fromEntries(await Promise.all(modules));
}

/** Finds imports of workspace tools from folders that agents can write. */
export function importsWithin(
  folder: string,
  config: () => Pick<Config, 'workspace' | 'shell'> | undefined,
): FindImports {
  return async (texts) => {
    const { coverImports } = await import('../config/started/index.js');
    const { workspace, shell } = config() ?? {};
    const roots = [...new Set([folder, ...(workspace?.roots ?? []), ...(shell?.writable ?? [])])];
    return coverImports({ texts, given: new Set(Object.keys(given)) }, roots);
  };
}
