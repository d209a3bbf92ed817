import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { actionOf, askedArguments, askedOptions, askingOf } from './asking.js';
import { withAdmin } from './with-admin.js';

export const check: Command = {
  name: 'check',
  summary: 'Check whether a principal may call a tool. Exits with 0 if allowed, 1 if denied.',
  arguments: askedArguments,
  options: [configOption, ...askedOptions],
  examples: ['tidegate check agent:alice Bash', 'tidegate check agent:alice github_get_issue --action see'],
  run(given, context) {
    const { output } = context;
    const [principal = '', what = ''] = given.arguments;
    const asking = { action: actionOf(given), ...askingOf(given) };
    return withAdmin(given, context, async (service) => {
      const checked = await service.check(principal, what, asking);
      output.json(checked);
      const { decision, action, reason, revision } = checked;
      const isAllowed = decision === 'allow';
      const sign = output.paint(isAllowed ? 'green' : 'red', isAllowed ? output.signs.yes : output.signs.no);
      const state = revision === undefined ? '' : `, revision ${String(revision)}`;
      output.line(
        `${sign} ${printable(principal)} ${isAllowed ? 'may' : 'may not'} ${action} ${printable(what)} (${reason}${state})`,
      );
      for (const note of checked.notes) output.note(note);
      return isAllowed ? exitCodes.ok : exitCodes.internal;
    });
  },
};
