/** Of a result: as much as we pass on of our own tools, and a little for the frame. */
export const largestAnswer = 33 * 1024 * 1024;

/** Of everything else that a plugin says: who it is, what it lists, what it finds wrong. */
export const largestDescription = 4 * 1024 * 1024;
