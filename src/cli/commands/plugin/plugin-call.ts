import { printable, shellWord } from '../../../config/index.js';
import { asOption, type Command, configOption } from '../../command.js';
import { Failure } from '../../failure.js';
import { findPlugin, neighboursListed, operationTool, reportsOf } from './with-plugins.js';
import { refuseUnused } from './unused-plugins.js';
import { withGateway } from '../../with-gateway.js';
import { callTyped } from '../tools/tools-call.js';

export const pluginCall: Command = {
  name: 'plugin call',
  summary: 'Call a plugin operation through Tidegate, as an agent would.',
  arguments: [
    { name: '<plugin>', about: 'Name of the plugin.' },
    { name: '<operation>', about: 'Name of the operation, as the plugin defines it.' },
    {
      name: '[arguments...]',
      about: 'One JSON object, key=value pairs, or - to read JSON from standard input.',
    },
  ],
  options: [configOption, asOption],
  examples: [
    'tidegate plugin call echo echo text=hello',
    `tidegate plugin call echo echo '{"text": "hello"}' --json`,
  ],
  run(given, context) {
    const [name = '', operation = '', ...words] = given.arguments;
    return withGateway(given, context, 'command', async (tidegate) => {
      refuseUnused(tidegate, findPlugin(tidegate.locatedPlugins(), name));
      const { problems, unchecked, tools } = await tidegate.plugins.check(
        [{ plugin: name, expose: [operation] }],
        [],
        context.signal,
      );
      const [refused] = unchecked;
      if (refused) {
        const { code, message } = refused.fault;
        const next =
          code === 'provider.untrusted'
            ? `tidegate plugin trust ${shellWord(name)}`
            : `tidegate plugin show ${shellWord(name)}`;
        throw new Failure(code, printable(message), next);
      }
      const [problem] = problems;
      if (problem)
        throw new Failure('plugin.no_operation', problem.message, `tidegate plugin show ${shellWord(name)}`);
      await neighboursListed(tidegate);
      const isTaken = tidegate.gateway.registry
        .collisions()
        .some((one) => one.second === `plugin:${name}` && one.name === tools[0]);
      const clash = reportsOf(tidegate).find((one) => one.name === name);
      if (isTaken && clash)
        throw new Failure(
          'plugin.collision',
          String(clash.detail),
          `tidegate plugin disable ${shellWord(name)}`,
        );
      const tool = await operationTool(tidegate, tools[0] ?? '', context);
      return callTyped(tidegate, tool, words, context);
    });
  },
};
