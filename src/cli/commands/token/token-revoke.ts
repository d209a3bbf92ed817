import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { findingToken, withTokenAdmin } from './with-token-admin.js';

export const tokenRevoke: Command = {
  name: 'token revoke',
  summary: 'Revoke a token and all tokens derived from it. Takes effect at the next request.',
  arguments: [{ name: '<id>', about: 'ID of the token, as shown by `token list`.' }],
  options: [configOption],
  examples: ['tidegate token revoke tok_k3m9x2a7pq4d'],
  async run(given, context) {
    const [id = ''] = given.arguments;
    const { output } = context;
    const { tokenJson } = await import('../../../features/admin/token-json.js');
    return withTokenAdmin(given, context, async ({ service }) => {
      const { token, revision, children } = await findingToken(service, id, () => service.revoke(id));
      const isNew = revision !== undefined;
      output.json({ token: tokenJson(token), children, ...(isNew && { revision }) });
      const what = `${token.id} of ${printable(token.principal)}`;
      output.line(isNew ? `Revoked ${what} (revision ${String(revision)})` : `${what} was already revoked`);
      if (isNew && children > 0) output.note(`Derived tokens revoked as well: ${String(children)}`);
      return exitCodes.ok;
    });
  },
};
