import { type Command, configOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { tokenLines } from '../token-text.js';
import { findingToken, withTokenDesk } from '../with-token-desk.js';

export const tokenShow: Command = {
  name: 'token show',
  summary: 'Show one token: everything but its secret, which nobody knows any more.',
  arguments: [{ name: '<id>', about: 'The id of the token, as `token list` shows it.' }],
  options: [configOption],
  examples: ['tidegate token show tok_k3m9x2a7pq4d'],
  async run(given, context) {
    const [id = ''] = given.arguments;
    const { tokenJson } = await import('../../app/token-json.js');
    return withTokenDesk(given, context, async ({ desk }) => {
      const token = await findingToken(desk, id, () => desk.show(id));
      context.output.json({ token: tokenJson(token) });
      tokenLines(token, context);
      return exitCodes.ok;
    });
  },
};
