// Constants that scripts/build.mjs (and vitest.config.ts, for tests) puts in place of these names.

/** The version of package.json. */
declare const __TIDEGATE_VERSION__: string;
