import { printable, shellWord } from '../../../config/index.js';
import type { listTools, Tidegate } from '../../../app/index.js';
import type { Context } from '../../command.js';
import { Failure } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import { refuseUnusedPluginOf } from '../plugin/unused-plugins.js';
import { untilSettled } from '../../until-settled.js';
import { trustHint, workspaceNotes } from '../../with-gateway.js';

export type Tool = Awaited<ReturnType<typeof listTools>>[number];

export async function toolsOf(tidegate: Tidegate, context: Context): Promise<readonly Tool[]> {
  const app = await import('../../../app/index.js');
  await untilSettled(tidegate, context);
  for (const line of tidegate.idlePatterns()) context.output.note(`warning: ${printable(line)}`);
  return app.listTools(tidegate);
}

/** The tool with that name, or a failure that suggests a similar one. */
export async function findTool(tidegate: Tidegate, name: string, context: Context): Promise<Tool> {
  const tools = await toolsOf(tidegate, context);
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  refuseUnusedPluginOf(tidegate, name);
  const untrusted = trustHint(tidegate);
  if (untrusted !== undefined) {
    const message = `Unknown tool: ${name}. The servers in ${printable(String(tidegate.trust.file))} were not started because the file is not trusted.`;
    throw new Failure('provider.untrusted', message, untrusted);
  }
  refuseToolOfUnused(tidegate, name);
  // The tool may be in one of these files.
  for (const line of workspaceNotes(tidegate)) context.output.note(line);
  const near = didYouMean(
    name,
    tools.map((tool) => tool.name),
  );
  throw new Failure('tool.not_found', `Unknown tool: ${name}.${near}`, 'tidegate tools list');
}

/** The tools of a failed or disabled server are unknown, so a similar name from another server would mislead. */
function refuseToolOfUnused(tidegate: Tidegate, name: string): void {
  const states = new Map(tidegate.gateway.registry.status().map(({ id, state }) => [id, state]));
  const isOf = (state: string) => (one: Server) =>
    states.get(one.name) === state && one.prefix !== '' && name.startsWith(one.prefix);
  const failed = tidegate.config.servers.find(isOf('failed'));
  if (failed !== undefined) {
    const message = `Unknown tool: ${name}. Server ${printable(failed.name)} failed, so its tools are unknown.`;
    throw new Failure('tool.not_found', message, `tidegate servers ${shellWord(failed.name)}`);
  }
  const disabled = tidegate.config.servers.find(isOf('disabled'));
  if (disabled !== undefined) {
    const message = `Unknown tool: ${name}. Server ${printable(disabled.name)} is disabled in the configuration, so its tools are unknown.`;
    throw new Failure('provider.disabled', message, `tidegate servers ${shellWord(disabled.name)}`);
  }
}

type Server = Tidegate['config']['servers'][number];

/** The first line of the description of a tool. */
export function summaryOf(tool: Tool): string {
  const { description, title } = tool.definition.value as {
    readonly description?: unknown;
    readonly title?: unknown;
  };
  const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  return printable(text.trim().split('\n')[0] ?? '');
}
