import type { OpenTokenDesk } from '../app/open-token-desk.js';
import type { Context } from './command.js';
import { warningLines } from './policy-warnings.js';
import { runningUrl } from './running-gate.js';
import { factWidth, type Made, timeText, tokenLines } from './token-text.js';

/** Tells of a new token: its secret this once, how to use it, and what whoever made it may have overlooked. */
export async function tellMade(
  made: Made,
  { tidegate }: OpenTokenDesk,
  context: Context,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const [{ madeJson }, { tokenWarnings }] = await Promise.all([
    import('../app/token-operations.js'),
    import('../app/token-warnings.js'),
  ]);
  const { output } = context;
  const warned = tokenWarnings(tidegate, made.token.tools);
  const running = await runningUrl(context, tidegate.config.file);
  output.json({ ...madeJson(made), ...more, warnings: warned.warnings });
  output.line(`${'Token'.padEnd(factWidth)}${output.paint('bold', made.secret)}`);
  output.line(`${' '.repeat(factWidth)}(shown this once; only its hash is kept)`);
  tokenLines(made.token, context);
  const url = running ?? gateUrl(tidegate.config.http);
  output.line(`${'Use it'.padEnd(factWidth)}TIDEGATE_TOKEN=<token> tidegate mcp --via ${url}`);
  if (running === undefined) output.note('no gate of this place runs now: start it with tidegate serve');
  for (const line of [...endLines(made), ...warningLines(warned)]) output.note(line);
}

function endLines({ token, endsWith }: Made): readonly string[] {
  if (endsWith === undefined) return [];
  const { parent, wished } = endsWith;
  const end = `it ends with its parent ${parent}, at ${timeText(token.expiresAt)}`;
  return [wished === undefined ? end : `${end}, and not at ${timeText(wished)} as you asked`];
}

/** Where `serve` listens by the configuration. */
function gateUrl({ host, port }: OpenTokenDesk['tidegate']['config']['http']): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${String(port)}/mcp`;
}
