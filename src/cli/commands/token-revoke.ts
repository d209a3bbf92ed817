import { printable } from '../../config/index.js';
import { type Command, configOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { findingToken, withTokenDesk } from '../with-token-desk.js';

export const tokenRevoke: Command = {
  name: 'token revoke',
  summary: 'Revoke a token, and with it every token that was made from it. The next request is refused.',
  arguments: [{ name: '<id>', about: 'The id of the token, as `token list` shows it.' }],
  options: [configOption],
  examples: ['tidegate token revoke tok_k3m9x2a7pq4d'],
  async run(given, context) {
    const [id = ''] = given.arguments;
    const { output } = context;
    const { tokenJson } = await import('../../app/token-json.js');
    return withTokenDesk(given, context, async ({ desk }) => {
      const { token, revision, children } = await findingToken(desk, id, () => desk.revoke(id));
      const isNew = revision !== undefined;
      output.json({ token: tokenJson(token), children, ...(isNew && { revision }) });
      const what = `${token.id} of ${printable(token.principal)}`;
      output.line(isNew ? `Revoked ${what} (revision ${String(revision)})` : `${what} was revoked before`);
      if (isNew && children > 0) output.note(`void with it: ${String(children)} made from it`);
      return exitCodes.ok;
    });
  },
};
