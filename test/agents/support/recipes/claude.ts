import { agentBinary } from '../agent-binary.js';
import { key, type Recipe, type RecipeParts, type Start } from './recipe.js';

export const claude: Recipe = {
  name: 'Claude Code',
  agent: 'claude',
  format: 'anthropic-messages',
  start: startClaude,
  touch: (file) => ({ name: 'Bash', arguments: { command: `touch ${file}`, description: 'make a file' } }),
  leftovers: [],
};

function startClaude({ place, model, isIsolated }: RecipeParts): Start {
  const { serverName, serverCommand } = place;
  const [command, ...args] = serverCommand;
  const server = { type: 'stdio', command, args, env: {} };
  const config = place.write('claude-mcp.json', JSON.stringify({ mcpServers: { [serverName]: server } }));
  const ours = `mcp__${serverName}`;
  const flags = isIsolated
    ? ['--strict-mcp-config', '--tools', '', '--setting-sources', '', '--allowedTools', ours]
    : ['--allowedTools', 'Bash', ours];
  return {
    command: [
      ...agentBinary('claude'),
      ...['-p', '--model', 'claude-test', '--mcp-config', config, ...flags],
      ...['--output-format', 'stream-json', '--verbose'],
    ],
    env: {
      HOME: place.home,
      ANTHROPIC_BASE_URL: model.origin,
      ANTHROPIC_API_KEY: key,
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Our tools must be shown at once, even if the agent keeps its own.
      ENABLE_TOOL_SEARCH: 'false',
    },
  };
}
