import { z } from 'zod';

/** Only the workflow engine sets this argument; workflows cannot. */
export const fixedHost = {
  fixed_host: z
    .boolean()
    .describe('Whether the host is written in the workflow file. Only then may it be on a private network.'),
};
