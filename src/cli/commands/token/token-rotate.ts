import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { tellMade } from './token-made.js';
import { findingToken, withTokenAdmin } from './with-token-admin.js';

export const tokenRotate: Command = {
  name: 'token rotate',
  summary: 'Replace a token with a new one that has the same rights. The old one stops working immediately.',
  arguments: [{ name: '<id>', about: 'ID of the token, as shown by `token list`.' }],
  options: [configOption],
  examples: ['tidegate token rotate tok_k3m9x2a7pq4d'],
  async run(given, context) {
    const [id = ''] = given.arguments;
    return withTokenAdmin(given, context, async (opened) => {
      const { service } = opened;
      const made = await findingToken(service, id, () => service.rotate(id));
      await tellMade(made, opened, context, { replaced: made.replaced, children: made.children });
      context.output.line(`${'Revoked'.padEnd(10)}${made.replaced}`);
      if (made.children > 0) {
        context.output.note(`Derived tokens revoked as well: ${String(made.children)}`);
      }
      return exitCodes.ok;
    });
  },
};
