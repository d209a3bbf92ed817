import { agentBinary } from '../agent-binary.js';
import { key, type Recipe, type RecipeParts, type Start } from './recipe.js';

export const gemini: Recipe = {
  name: 'Gemini CLI',
  agent: 'gemini',
  format: 'gemini',
  start: startGemini,
  touch: (file) => ({ name: 'run_shell_command', arguments: { command: `touch ${file}` } }),
  leftovers: [],
};

function startGemini({ place, model, isIsolated }: RecipeParts): Start {
  const { serverName, serverCommand } = place;
  const [command, ...args] = serverCommand;
  const settings = {
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { auth: { selectedType: 'gemini-api-key' } },
    mcpServers: { [serverName]: { command, args, env: {} } },
  };
  place.write('gemini/.gemini/settings.json', JSON.stringify(settings));
  const policy = place.write('policy.toml', geminiPolicy(serverName));
  const flags = isIsolated ? ['-e', 'none', '--admin-policy', policy] : ['--approval-mode', 'yolo'];
  return {
    command: [
      ...agentBinary('gemini'),
      ...['-m', 'gemini-2.5-pro', '-o', 'stream-json', '--skip-trust'],
      ...['--allowed-mcp-server-names', serverName, ...flags],
    ],
    env: {
      HOME: place.home,
      GEMINI_CLI_HOME: place.write('gemini/.keep', '').replace(/\/\.keep$/, ''),
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: model.origin,
    },
  };
}

function geminiPolicy(server: string): string {
  return [
    '[[rule]]\ntoolName = "*"\ndecision = "deny"\npriority = 1',
    `[[rule]]\nmcpName = "${server}"\ntoolName = "*"\ndecision = "allow"\npriority = 999`,
  ].join('\n');
}
