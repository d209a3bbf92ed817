import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { tellMade } from './token-made.js';
import { findingToken, withTokenDesk } from './with-token-admin.js';

export const tokenRotate: Command = {
  name: 'token rotate',
  summary: 'Replace a token with a new one that has the same rights. The old one is void at once.',
  arguments: [{ name: '<id>', about: 'ID of the token, as shown by `token list`.' }],
  options: [configOption],
  examples: ['tidegate token rotate tok_k3m9x2a7pq4d'],
  async run(given, context) {
    const [id = ''] = given.arguments;
    return withTokenDesk(given, context, async (opened) => {
      const { desk } = opened;
      const made = await findingToken(desk, id, () => desk.rotate(id));
      await tellMade(made, opened, context, { replaced: made.replaced, children: made.children });
      context.output.line(`${'Revoked'.padEnd(10)}${made.replaced}`);
      if (made.children > 0) {
        context.output.note(`Derived tokens that are void too: ${String(made.children)}`);
      }
      return exitCodes.ok;
    });
  },
};
