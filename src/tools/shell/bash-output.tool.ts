import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { backgroundFields, backgroundResult } from './background-result.js';

export default defineTool({
  name: 'BashOutput',
  title: 'Read background output',
  description: `Returns the new output of a command that Bash started with run_in_background, and whether it is still running.

- Each call returns only output since the last call. A command is stopped if you don't check it for an hour.
- filter keeps only lines that contain it; the others count as read. It is plain text, not a regular expression, but | separates alternatives: "error|warn".`,
  effect: 'read',
  hints: { idempotent: false },
  needs: ['shell'],
  input: z.object({
    bash_id: z.string().min(1).max(64).describe('The background_id that Bash returned.'),
    filter: z
      .string()
      .max(1000)
      .optional()
      .describe('Return only lines containing this plain text; separate alternatives with |.'),
  }),
  aliases: {
    bash_id: ['shell_id', 'task_id', 'background_id', 'bashId', 'shellId', 'taskId', 'backgroundId', 'id'],
  },
  output: z.object(backgroundFields),
  async run({ bash_id, filter }, { ports }) {
    return backgroundResult(await ports.shell.poll(bash_id, filter));
  },
});
