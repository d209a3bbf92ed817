import { type Command, configOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { actionOf, askedArguments, askedOptions, askingOf } from '../asking.js';
import { showExplained } from '../explained-text.js';
import { withDesk } from '../with-desk.js';

export const explain: Command = {
  name: 'explain',
  summary: 'Say why a principal may or may not call a tool, and what would change that.',
  arguments: askedArguments,
  options: [configOption, ...askedOptions],
  examples: ['tidegate explain agent:alice Bash', 'tidegate explain agent:alice Bash --token tok_…'],
  run(given, context) {
    const [principal = '', what = ''] = given.arguments;
    const asking = { action: actionOf(given), ...askingOf(given) };
    return withDesk(given, context, async (desk) => {
      const explained = await desk.explain(principal, what, asking);
      context.output.json(explained);
      showExplained(explained, context.output);
      return exitCodes.ok;
    });
  },
};
