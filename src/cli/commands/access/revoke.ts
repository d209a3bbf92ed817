import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { showChange } from './rights-text.js';
import { withAdmin } from './with-admin.js';

export const revoke: Command = {
  name: 'revoke',
  summary: 'Revoke grants from a principal or role. Takes effect at the next call.',
  arguments: [
    { name: '<principal>', about: 'agent:alice, user:ana, service:ci, role:dev, or everybody.' },
    { name: '[what]', about: 'Same as for grant. Revoking a set also revokes individual grants within it.' },
  ],
  options: [
    configOption,
    { name: 'block', about: 'Also block it, so that no profile or role can grant it.' },
    { name: 'unblock', about: 'Remove a block, and nothing else.' },
    { name: 'all', about: 'Revoke all its grants. Blocks stay unless you add --unblock.' },
    { name: 'admin', about: 'Revoke admin rights for the zone.' },
  ],
  examples: [
    'tidegate revoke agent:alice Bash',
    'tidegate revoke agent:alice Write --block',
    'tidegate revoke agent:alice --all',
  ],
  run(given, context) {
    const [principal = '', what] = given.arguments;
    const { block, unblock, all, admin } = given.options;
    return withAdmin(given, context, async (service) => {
      const revoked = await service.revoke(principal, what, {
        block: block === true,
        unblock: unblock === true,
        all: all === true,
        admin: admin === true,
      });
      context.output.json(revoked);
      const target = what === undefined ? '' : ` for ${printable(what)}`;
      const missing = unblock === true ? 'matching block' : 'direct grant';
      showChange(revoked, context, `${printable(principal)} has no ${missing}${target}`);
      return exitCodes.ok;
    });
  },
};
