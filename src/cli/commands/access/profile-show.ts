import type { OpenAdmin } from '../../../features/admin/index.js';
import { printable } from '../../../config/index.js';
import { type Command, configOption, type Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { labelled, showSet } from './rights-text.js';
import { withAdmin } from './with-admin.js';

type Shown = Awaited<ReturnType<OpenAdmin['service']['profileShow']>>;

export const profileShow: Command = {
  name: 'profile show',
  summary: 'Show a profile: its entries and the tools they currently match.',
  arguments: [{ name: '<profile>', about: 'Name of the profile.' }],
  options: [configOption, { name: 'resolved', about: 'Also show inherited entries.' }],
  examples: ['tidegate profile show coding', 'tidegate profile show coding --resolved'],
  run(given, context) {
    const [name = ''] = given.arguments;
    return withAdmin(given, context, async (service) => {
      const profile = await service.profileShow(name, { resolved: given.options['resolved'] === true });
      context.output.json(profile);
      show(profile, context);
      return exitCodes.ok;
    });
  },
};

function show(profile: Shown, { output }: Context): void {
  const { name, description, parents, source, isDefault, line, entries, unknown } = profile;
  const where =
    source === 'shipped' ? 'shipped' : `file${line === undefined ? '' : `, line ${String(line)}`}`;
  const more = [where, ...(isDefault ? ['default'] : [])].join('; ');
  output.line(`${output.paint('bold', printable(name))}  ${output.paint('dim', `(${more})`)}`);
  if (description !== undefined) output.say(printable(description));
  output.line();
  if (parents.length > 0) labelled('Extends', parents, output);
  const rows = entries.map(({ entry, effect, from, isOwn, tools }) => [
    `  ${printable(entry)}`,
    effect,
    isOwn ? '' : `from ${printable(from)}`,
    tools.length === 0 ? output.paint('yellow', 'matches no tool') : printable(tools.join(', ')),
  ]);
  if (rows.length > 0) output.line('Entries');
  output.table(rows);
  if (rows.length > 0) output.line();
  showSet('Tools', profile, output);
  if (profile.see.length === 0) labelled('Tools', ['none'], output);
  if (unknown.length > 0) labelled('Unknown', unknown, output);
}
