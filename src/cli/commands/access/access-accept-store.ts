import { type Command, configOption, textOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { configFileOf } from '../../locate.js';
import { openingFailure } from '../../with-gateway.js';
import { openTidegate } from '../../open-tidegate.js';

export const accessAcceptStore: Command = {
  name: 'access accept-store',
  summary: 'Accept the current store after the one with your grants was lost or replaced.',
  options: [configOption],
  examples: ['tidegate access accept-store'],
  async run(given, context) {
    const { cwd, env, version, output } = context;
    const [app, { acceptStore, AdminError, StoreError }] = await Promise.all([
      import('../../../app/index.js'),
      import('../../../features/admin/index.js'),
    ]);
    const configFile = configFileOf(textOption(given, 'config'), context);
    try {
      const options = { cwd, env, version, ...(configFile !== undefined && { configFile }) };
      const accepted = await acceptStore(openTidegate, options);
      output.json(accepted);
      const { zone, wasKnown, revision } = accepted;
      if (wasKnown) {
        output.line(`Accepted the current store for zone ${zone} at revision ${String(revision)}.`);
        output.note(
          'Grants, blocks and tokens from the lost store no longer apply. To review your profiles: tidegate profile list',
        );
      } else output.line(`No change: no store is recorded for zone ${zone}.`);
      return exitCodes.ok;
    } catch (error) {
      if (error instanceof AdminError) throw new Failure(error.code, error.message, error.next);
      if (error instanceof StoreError) throw new Failure(error.code, error.message);
      throw openingFailure(error, configFile, app);
    }
  },
};
