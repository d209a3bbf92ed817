import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { showChange } from './rights-text.js';
import { withAdmin } from './with-admin.js';

export const profileAssign: Command = {
  name: 'profile assign',
  summary: 'Assign a profile to a principal or role, replacing its current one.',
  arguments: [
    { name: '<principal>', about: 'agent:alice, user:ana, service:ci, or role:dev.' },
    { name: '<profile>', about: 'Name of the profile, or none to remove the assignment.' },
  ],
  options: [configOption],
  examples: [
    'tidegate profile assign agent:alice coding',
    'tidegate profile assign role:devs execution',
    'tidegate profile assign agent:alice none',
  ],
  run(given, context) {
    const { output } = context;
    const [principal = '', profile = ''] = given.arguments;
    return withAdmin(given, context, async (service) => {
      const assigned = await service.profileAssign(principal, profile);
      output.json(assigned);
      const has = assigned.profile === undefined ? 'no assigned profile' : `the profile ${assigned.profile}`;
      output.line(`${printable(principal)} has ${output.paint('bold', printable(has))}.`);
      showChange(assigned, context);
      return exitCodes.ok;
    });
  },
};
