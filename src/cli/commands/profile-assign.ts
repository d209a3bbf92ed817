import { printable } from '../../config/index.js';
import { type Command, configOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { showChange } from '../rights-text.js';
import { withDesk } from '../with-desk.js';

export const profileAssign: Command = {
  name: 'profile assign',
  summary: 'Give a principal or role a profile, in place of the one it had. Starts no server.',
  arguments: [
    { name: '<principal>', about: 'agent:alice, user:ana, service:ci, or role:dev.' },
    { name: '<profile>', about: 'The name of the profile; none takes it away.' },
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
    return withDesk(given, context, async (desk) => {
      const assigned = await desk.profileAssign(principal, profile);
      output.json(assigned);
      const has =
        assigned.profile === undefined ? 'no profile of its own' : `the profile ${assigned.profile}`;
      output.line(`${printable(principal)} has ${output.paint('bold', printable(has))}.`);
      showChange(assigned, context);
      return exitCodes.ok;
    });
  },
};
