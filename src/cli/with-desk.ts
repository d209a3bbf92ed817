import type { OpenDesk } from '../app/desk.js';
import { type Context, type Given, textOption } from './command.js';
import { Failure } from './failure.js';
import { configFileOf, problemLines } from './locate.js';
import { shellPath } from './shell-path.js';
import { openingFailure } from './with-gate.js';

/** Opens the operator's desk of this place for one operation, and closes it whatever happens. */
export async function withDesk<T>(
  given: Given,
  context: Context,
  work: (desk: OpenDesk['desk']) => Promise<T>,
  { needsStore = true }: { readonly needsStore?: boolean } = {},
): Promise<T> {
  const [app, { DeskError, StoreError, openDesk }] = await Promise.all([
    import('../app/index.js'),
    import('../app/desk.js'),
  ]);
  const { cwd, env, version, output } = context;
  const configFile = configFileOf(textOption(given, 'config'), context);
  const options = { cwd, env, version, needsStore, ...(configFile !== undefined && { configFile }) };
  try {
    const opened = await openDesk(options).catch((error: unknown) => {
      throw openingFailure(error, configFile, app);
    });
    const { trust, problems } = opened.tidegate;
    try {
      for (const line of problemLines(problems)) output.note(line);
      if (!trust.isTrusted && trust.file !== undefined)
        output.note(
          `the file is not trusted, so its store and zone are not used. Read it, then: tidegate trust ${shellPath(trust.file)}`,
        );
      return await work(opened.desk);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof DeskError) throw new Failure(error.code, error.message, error.next, error.problems);
    if (error instanceof StoreError) throw new Failure(error.code, error.message);
    throw error;
  }
}
