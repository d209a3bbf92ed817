import type { OpenTidegate } from '../workspace/tidegate.js';

/** Loads the program when the first command needs it. */
export const openTidegate: OpenTidegate = async (options) =>
  (await import('../app/index.js')).openTidegate(options);
