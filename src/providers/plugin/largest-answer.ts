/** Limit for a result: the same as for built-in tools, plus a little for framing. */
export const largestAnswer = 33 * 1024 * 1024;

/** Limit for all other responses, such as info, lists and validation issues. */
export const largestDescription = 4 * 1024 * 1024;
