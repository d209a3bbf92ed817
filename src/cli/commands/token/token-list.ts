import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { colourOfState, timeText } from './token-text.js';
import { withTokenAdmin } from './with-token-admin.js';

export const tokenList: Command = {
  name: 'token list',
  summary: 'List client tokens: principal, state, expiry and last use.',
  options: [configOption],
  examples: ['tidegate token list', 'tidegate token list --json'],
  async run(given, context) {
    const { output } = context;
    const { tokenJson } = await import('../../../features/admin/token-json.js');
    return withTokenAdmin(given, context, async ({ service }) => {
      const tokens = await service.list();
      output.json({ tokens: tokens.map(tokenJson) });
      const rows = tokens.map((token) => [
        token.id,
        printable(token.principal),
        output.paint(colourOfState[token.state], token.state),
        printable(token.profile ?? '-'),
        printable(shortTools(token.tools)),
        token.parent ?? '-',
        token.expiresAt === undefined ? 'never' : timeText(token.expiresAt),
        timeText(token.lastUsedAt),
        printable(token.label ?? '-'),
      ]);
      const head = ['TOKEN', 'FOR', 'STATE', 'PROFILE', 'TOOLS', 'FROM', 'EXPIRES', 'LAST USED', 'LABEL'];
      if (rows.length > 0) output.table([head, ...rows]);
      else output.line('No tokens yet. Create one: tidegate token create --as agent:alice');
      return exitCodes.ok;
    });
  },
};

const longest = 24;

/** Names and patterns, cut to fit the table; `token show` prints them all. */
function shortTools(tools: readonly string[] | undefined): string {
  const text = tools?.join(',') ?? '-';
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}
