import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { warningLines } from './policy-warnings.js';
import { withAdmin } from './with-admin.js';

export const profileList: Command = {
  name: 'profile list',
  summary: 'List profiles: what they extend, how many tools they grant and where they come from.',
  options: [configOption],
  examples: ['tidegate profile list', 'tidegate profile list --json'],
  run(given, context) {
    const { output } = context;
    return withAdmin(given, context, async (service) => {
      const list = await service.profileList();
      output.json(list);
      const rows = list.profiles.map(({ name, isDefault, tools, parents, source, description = '' }) => [
        `${output.paint('bold', printable(name))}${isDefault ? ' *' : ''}`,
        String(tools),
        printable(parents.join(', ')) || '-',
        source,
        printable(description),
      ]);
      output.table([['PROFILE', 'TOOLS', 'EXTENDS', 'FROM', 'ABOUT'], ...rows]);
      output.line(
        list.defaultProfile === undefined
          ? '\nNo default profile: principals without a profile get tools only from grants.'
          : '\n* default for principals without a profile. To assign another:\n  tidegate profile assign agent:alice coding',
      );
      for (const line of warningLines(list)) output.note(line);
      return exitCodes.ok;
    });
  },
};
