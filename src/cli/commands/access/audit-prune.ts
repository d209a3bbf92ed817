import { type Command, configOption, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { withAdmin } from './with-admin.js';

export const auditPrune: Command = {
  name: 'audit prune',
  summary:
    'Delete old audit records in this zone. A running gateway automatically deletes records older than access.audit_keep days.',
  options: [
    configOption,
    {
      name: 'older-than',
      value: 'time',
      about: 'Delete records older than this: 90d, 12w, 1y, or a date such as 2026-01-31.',
    },
    { name: 'dry-run', about: 'Show how many records would be deleted.' },
  ],
  examples: ['tidegate audit prune --older-than 90d --dry-run', 'tidegate audit prune --older-than 1y'],
  async run(given, context) {
    const { output } = context;
    const olderThan = textOption(given, 'older-than');
    if (olderThan === undefined) {
      const message = 'Missing --older-than. Specify how old records must be to be deleted.';
      throw new Failure('usage.missing_argument', message, 'tidegate audit prune --older-than 90d --dry-run');
    }
    const dryRun = given.options['dry-run'] === true;
    return withAdmin(given, context, async (service) => {
      const pruned = await service.auditPrune({ olderThan, dryRun });
      output.json(pruned);
      const { removed, before } = pruned;
      const what = `${String(removed)} ${removed === 1 ? 'record' : 'records'} from before ${before.slice(0, 16).replace('T', ' ')} (UTC)`;
      output.line(dryRun ? `Dry run: ${what} would be deleted.` : `Deleted ${what}.`);
      return exitCodes.ok;
    });
  },
};
