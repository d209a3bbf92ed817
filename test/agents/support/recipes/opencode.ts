import { agentBinary } from '../agent-binary.js';
import { key, type Recipe, type RecipeParts, type Start } from './recipe.js';

export const opencode: Recipe = {
  name: 'OpenCode',
  agent: 'opencode',
  format: 'openai-chat',
  start: startOpencode,
  touch: (file) => ({ name: 'bash', arguments: { command: `touch ${file}`, description: 'make a file' } }),
  leftovers: [],
};

function startOpencode({ place, model, isIsolated }: RecipeParts): Start {
  const { serverName, serverCommand, home } = place;
  const agent = `agent${serverName}`;
  const permission = { '*': 'deny', [`${serverName}_*`]: 'allow' };
  const config = {
    autoupdate: false,
    share: 'disabled',
    model: 'probe/probe',
    small_model: 'probe/probe',
    provider: {
      probe: {
        npm: '@ai-sdk/openai-compatible',
        name: 'probe',
        options: { baseURL: model.url, apiKey: key },
        models: { probe: { name: 'probe', tool_call: true, limit: { context: 200000, output: 8192 } } },
      },
    },
    mcp: { [serverName]: { type: 'local', command: serverCommand, environment: {}, enabled: true } },
    ...(isIsolated && { permission, agent: { [agent]: { mode: 'primary', permission } } }),
  };
  return {
    command: [
      ...agentBinary('opencode'),
      ...['run', '--format', 'json', '--pure', '--title', 'probe'],
      ...(isIsolated ? ['--agent', agent] : []),
    ],
    env: {
      HOME: home,
      XDG_CONFIG_HOME: `${home}/cfg`,
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    },
  };
}
