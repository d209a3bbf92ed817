import { shellWord } from '../../../config/index.js';
import type { OpenTokenAdmin } from '../../../features/admin/index.js';
import type { Context } from '../../command.js';
import { warningLines } from '../access/policy-warnings.js';
import { runningUrl } from '../../running-gateway.js';
import { factWidth, type Made, timeText, tokenLines } from './token-text.js';

/** Prints a new token: its secret (only this once), how to use it, and warnings. */
export async function tellMade(
  made: Made,
  { tidegate }: OpenTokenAdmin,
  context: Context,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const [{ madeJson }, { tokenWarnings }] = await Promise.all([
    import('../../../features/admin/token-operations.js'),
    import('../../../features/admin/token-warnings.js'),
  ]);
  const { output } = context;
  const warned = tokenWarnings(tidegate, made.token.tools);
  const running = await runningUrl(context, tidegate.config.file);
  output.json({ ...madeJson(made), ...more, warnings: warned.warnings });
  output.line(`${'Token'.padEnd(factWidth)}${output.paint('bold', made.secret)}`);
  output.line(`${' '.repeat(factWidth)}(shown only once; Tidegate stores only its hash)`);
  tokenLines(made.token, context);
  const url = running ?? gatewayUrl(tidegate.config.http);
  output.line(`${'Use it'.padEnd(factWidth)}TIDEGATE_TOKEN=<token> tidegate mcp --via ${shellWord(url)}`);
  if (running === undefined) output.note('No gateway is running for this folder. Start one: tidegate serve');
  for (const line of [...endLines(made), ...warningLines(warned)]) output.note(line);
}

function endLines({ token, endsWith }: Made): readonly string[] {
  if (endsWith === undefined) return [];
  const { parent, requested } = endsWith;
  const end = `It expires with its parent ${parent}, at ${timeText(token.expiresAt)}`;
  return [requested === undefined ? end : `${end}, not at ${timeText(requested)} as requested`];
}

/** The URL of `serve` according to the configuration. */
function gatewayUrl({ host, port }: OpenTokenAdmin['tidegate']['config']['http']): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${String(port)}/mcp`;
}
