import { isBuiltin } from 'node:module';

export interface Features {
  readonly present: readonly string[];
  readonly absent: readonly string[];
}

/** Optional features of newer Node versions that Tidegate uses. */
export function nodeFeatures(): Features {
  const features: readonly (readonly [name: string, isThere: boolean])[] = [
    ['the compile cache', 'enableCompileCache' in process.getBuiltinModule('node:module')],
    ['node:sqlite', isBuiltin('node:sqlite')],
  ];
  return {
    present: features.filter(([, isThere]) => isThere).map(([name]) => name),
    absent: features.filter(([, isThere]) => !isThere).map(([name]) => name),
  };
}
