import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { backgroundFields, backgroundResult } from './background-result.js';

export default defineTool({
  name: 'BashOutput',
  title: 'See the output of a background command',
  description: `Returns what a command that Bash started with run_in_background wrote since you last asked, and whether it still runs.

- Each call gives only what is new. A command whose output nobody asks for is ended after an hour.
- With filter only the lines that hold that text are returned; the others count as seen. Plain text, not a regular expression; "error|warn" keeps lines with either.`,
  effect: 'read',
  hints: { idempotent: false },
  needs: ['shell'],
  input: z.object({
    bash_id: z.string().min(1).max(64).describe('The background_id that Bash returned.'),
    filter: z
      .string()
      .max(1000)
      .optional()
      .describe('Plain text that a line must hold to be returned; several texts with | between them.'),
  }),
  aliases: {
    bash_id: ['shell_id', 'task_id', 'background_id', 'bashId', 'shellId', 'taskId', 'backgroundId', 'id'],
  },
  output: z.object(backgroundFields),
  async run({ bash_id, filter }, { ports }) {
    return backgroundResult(await ports.shell.poll(bash_id, filter));
  },
});
