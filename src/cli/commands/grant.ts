import { type Command, configOption, textOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { showChange } from '../rights-text.js';
import { withDesk } from '../with-desk.js';

export const grant: Command = {
  name: 'grant',
  summary: 'Let a principal or role call a tool or a set of tools; or give it a role, or the whole zone.',
  arguments: [
    {
      name: '<principal>',
      about: 'agent:alice, user:ana, service:ci, role:dev, or everybody (to see only).',
    },
    {
      name: '[what]',
      about:
        'Read, github_*, server:github/create_issue, server:github, tier:2, or role:dev. Not with --admin.',
    },
  ],
  options: [
    configOption,
    { name: 'see', about: 'To be seen only, not called.' },
    { name: 'until', value: 'time', about: 'Until then: 8h, 30d, or a date such as 2030-01-31.' },
    { name: 'block', about: 'Take away instead; a block beats every grant.' },
    { name: 'admin', about: 'Everything in this zone, and the right to change rights.' },
    { name: 'force', about: 'Also for a name that fits no tool now.' },
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
    return withDesk(given, context, async (desk) => {
      const granted = await desk.grant(principal, what, {
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
