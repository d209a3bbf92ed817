import { type Command, configOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { showChange } from '../rights-text.js';
import { withDesk } from '../with-desk.js';

export const revoke: Command = {
  name: 'revoke',
  summary: 'Take back what was granted to a principal or role. Every gate knows it at its next call.',
  arguments: [
    { name: '<principal>', about: 'agent:alice, user:ana, service:ci, role:dev, or everybody.' },
    { name: '[what]', about: 'As for grant. A set takes with it what was granted of it one by one.' },
  ],
  options: [
    configOption,
    { name: 'block', about: 'Also keep it from coming back through a profile or role.' },
    { name: 'unblock', about: 'Take a block away, and nothing else.' },
    { name: 'all', about: 'Everything that was given to it; blocks stay, unless with --unblock.' },
    { name: 'admin', about: 'The whole zone.' },
  ],
  examples: [
    'tidegate revoke agent:alice Bash',
    'tidegate revoke agent:alice Write --block',
    'tidegate revoke agent:alice --all',
  ],
  run(given, context) {
    const [principal = '', what] = given.arguments;
    const { block, unblock, all, admin } = given.options;
    return withDesk(given, context, async (desk) => {
      const revoked = await desk.revoke(principal, what, {
        block: block === true,
        unblock: unblock === true,
        all: all === true,
        admin: admin === true,
      });
      context.output.json(revoked);
      showChange(revoked, context, 'nothing of the kind was given to it itself');
      return exitCodes.ok;
    });
  },
};
