import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { actionOf, askedArguments, askedOptions, askingOf } from './asking.js';
import { explainCode, isLikeCode } from './explained-code.js';
import { showExplained } from './explained-text.js';
import { Failure } from '../../failure.js';
import { withAdmin } from './with-admin.js';

const [, what] = askedArguments;

export const explain: Command = {
  name: 'explain',
  summary: 'Explain an error code, or why a principal may or may not call a tool.',
  arguments: [
    {
      name: '<code|principal>',
      about:
        'An error code, such as provider.unavailable, or a principal: agent:alice, user:ana, service:ci.',
    },
    { name: '[what]', about: `With a principal: ${what.about}` },
  ],
  options: [configOption, ...askedOptions],
  examples: [
    'tidegate explain provider.unavailable',
    'tidegate explain agent:alice Bash',
    'tidegate explain agent:alice Bash --token tok_…',
  ],
  async run(given, context) {
    const [subject = '', target] = given.arguments;
    if (target === undefined) {
      if (!isLikeCode(subject)) throw notWhole(subject);
      await explainCode(subject, context);
      return exitCodes.ok;
    }
    const asking = { action: actionOf(given), ...askingOf(given) };
    return withAdmin(given, context, async (service) => {
      const explained = await service.explain(subject, target, asking);
      context.output.json(explained);
      showExplained(explained, context.output);
      return exitCodes.ok;
    });
  },
};

function notWhole(subject: string): Failure {
  return new Failure(
    'usage.missing_argument',
    `"${subject}" is not an error code. For a principal, also name a tool.`,
    `tidegate explain ${subject.includes(':') ? subject : 'agent:alice'} Read`,
  );
}
