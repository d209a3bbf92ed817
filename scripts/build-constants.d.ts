// scripts/build.mjs (and vitest.config.ts, for tests) replaces these names with constants.

/** The version of package.json. */
declare const __TIDEGATE_VERSION__: string;
