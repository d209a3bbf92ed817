import { type Command, configOption, textOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { withDesk } from '../with-desk.js';

export const auditPrune: Command = {
  name: 'audit prune',
  summary: 'Remove old records of this zone. A gate does so by itself after access.audit_keep days.',
  options: [
    configOption,
    { name: 'older-than', value: 'time', about: 'What is older goes: 90d, 12w, 1y.' },
    { name: 'dry-run', about: 'Only say how many there are.' },
  ],
  examples: ['tidegate audit prune --older-than 90d --dry-run', 'tidegate audit prune --older-than 1y'],
  async run(given, context) {
    const { output } = context;
    const olderThan = textOption(given, 'older-than');
    if (olderThan === undefined) {
      const message = '--older-than is missing: say how old records are that may go.';
      throw new Failure('usage.missing_argument', message, 'tidegate audit prune --older-than 90d --dry-run');
    }
    const dryRun = given.options['dry-run'] === true;
    return withDesk(given, context, async (desk) => {
      const pruned = await desk.auditPrune({ olderThan, dryRun });
      output.json(pruned);
      const { removed, before } = pruned;
      const what = `${String(removed)} ${removed === 1 ? 'record' : 'records'} from before ${before.slice(0, 16).replace('T', ' ')} (UTC)`;
      output.line(dryRun ? `Nothing was removed: there are ${what}.` : `Removed ${what}.`);
      return exitCodes.ok;
    });
  },
};
