import { type Command, configOption, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { showChange } from './rights-text.js';
import { withAdmin } from './with-admin.js';

export const grant: Command = {
  name: 'grant',
  summary: 'Grant a tool, a set of tools or a role to a principal or role. --admin grants the whole zone.',
  arguments: [
    {
      name: '<principal>',
      about: 'agent:alice, user:ana, service:ci, role:dev, or everybody (requires --see).',
    },
    {
      name: '[what]',
      about:
        'Read, github_*, server:github/create_issue, server:github, tier:2, or role:dev. Omit with --admin.',
    },
  ],
  options: [
    configOption,
    { name: 'see', about: 'Grant visibility only: the tool is listed but cannot be called.' },
    { name: 'until', value: 'time', about: 'Expire after this time (8h, 30d) or on a date (2030-01-31).' },
    { name: 'block', about: 'Block instead of grant. A block overrides every grant.' },
    { name: 'admin', about: 'Grant everything in this zone, including the right to change grants.' },
    { name: 'force', about: 'Allow a name that matches no current tool.' },
  ],
  examples: [
    'tidegate grant agent:alice Bash --until 8h',
    "tidegate grant agent:bob 'github_*' --see",
    'tidegate grant agent:alice role:devs',
    'tidegate grant user:ana --admin',
  ],
  run(given, context) {
    const [principal = '', what] = given.arguments;
    const { see, block, admin, force } = given.options;
    const until = textOption(given, 'until');
    return withAdmin(given, context, async (service) => {
      const granted = await service.grant(principal, what, {
        see: see === true,
        block: block === true,
        admin: admin === true,
        force: force === true,
        ...(until !== undefined && { until }),
      });
      context.output.json(granted);
      if (!granted.changed) context.output.line(granted.tuple.says);
      showChange(granted, context);
      return exitCodes.ok;
    });
  },
};
