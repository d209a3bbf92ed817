import { shellWord } from '../../../config/index.js';
import type { OpenAdmin } from '../../../features/admin/index.js';
import { type Context, type Given, textOption } from '../../command.js';
import { Failure } from '../../failure.js';
import { configFileOf, problemLines } from '../../locate.js';
import { openingFailure } from '../../with-gateway.js';
import { openTidegate } from '../../open-tidegate.js';

/** Opens the admin service for one operation, and always closes it. */
export async function withAdmin<T>(
  given: Given,
  context: Context,
  work: (service: OpenAdmin['service']) => Promise<T>,
  { needsStore = true }: { readonly needsStore?: boolean } = {},
): Promise<T> {
  const [app, { AdminError, StoreError, openAdminService }] = await Promise.all([
    import('../../../app/index.js'),
    import('../../../features/admin/index.js'),
  ]);
  const { cwd, env, version, output } = context;
  const configFile = configFileOf(textOption(given, 'config'), context);
  const options = { cwd, env, version, needsStore, ...(configFile !== undefined && { configFile }) };
  try {
    const opened = await openAdminService(openTidegate, options).catch((error: unknown) => {
      throw openingFailure(error, configFile, app);
    });
    const { trust, problems } = opened.tidegate;
    try {
      for (const line of problemLines(problems)) output.note(line);
      if (!trust.isTrusted && trust.file !== undefined)
        output.note(
          `The file is not trusted, so its store and zone are not used. Review it, then run: tidegate trust ${shellWord(trust.file)}`,
        );
      return await work(opened.service);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof AdminError) throw new Failure(error.code, error.message, error.next, error.problems);
    if (error instanceof StoreError) throw new Failure(error.code, error.message);
    throw error;
  }
}
