import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { tokenLines } from './token-text.js';
import { findingToken, withTokenAdmin } from './with-token-admin.js';

export const tokenShow: Command = {
  name: 'token show',
  summary: 'Show a token: everything except its secret, which is not stored.',
  arguments: [{ name: '<id>', about: 'ID of the token, as shown by `token list`.' }],
  options: [configOption],
  examples: ['tidegate token show tok_k3m9x2a7pq4d'],
  async run(given, context) {
    const [id = ''] = given.arguments;
    const { tokenJson } = await import('../../../features/admin/token-json.js');
    return withTokenAdmin(given, context, async ({ service }) => {
      const token = await findingToken(service, id, () => service.show(id));
      context.output.json({ token: tokenJson(token) });
      tokenLines(token, context);
      return exitCodes.ok;
    });
  },
};
