import { z } from 'zod';
import { defineTool } from '../../tool/index.js';
import { backgroundFields, backgroundResult } from './background-result.js';

export default defineTool({
  name: 'KillBash',
  title: 'Stop a background command',
  description: `Stops a command that Bash started with run_in_background, and all its processes. Returns its last output.`,
  effect: 'execute',
  hints: { idempotent: true, openWorld: false },
  needs: ['shell'],
  input: z.object({
    shell_id: z.string().min(1).max(64).describe('The background_id that Bash returned.'),
  }),
  aliases: {
    shell_id: ['bash_id', 'task_id', 'background_id', 'shellId', 'bashId', 'taskId', 'backgroundId', 'id'],
  },
  output: z.object(backgroundFields),
  async run({ shell_id }, { ports }) {
    return backgroundResult(await ports.shell.stop(shell_id));
  },
});
