import { codeOf } from '../../../lib/error-code.js';
import { shellWord } from '../../../config/index.js';
import type { OpenTokenAdmin } from '../../../features/admin/index.js';
import { type Context, type Given, textOption } from '../../command.js';
import { Failure } from '../../failure.js';
import { configFileOf, problemLines } from '../../locate.js';
import { didYouMean } from '../../nearest-name.js';
import { openingFailure } from '../../with-gateway.js';
import { openTidegate } from '../../open-tidegate.js';

export type TokenAdmin = OpenTokenAdmin['service'];

/** Opens the token service for one piece of work, and always closes it. */
export async function withTokenAdmin<T>(
  given: Given,
  context: Context,
  work: (opened: OpenTokenAdmin) => Promise<T>,
): Promise<T> {
  const [app, service] = await Promise.all([
    import('../../../app/index.js'),
    import('../../../features/admin/open-token-admin.js'),
  ]);
  const { cwd, env, version } = context;
  const configFile = configFileOf(textOption(given, 'config'), context);
  const place = { cwd, env, version, ...(configFile !== undefined && { configFile }) };
  try {
    const opened = await service.openTokenAdmin(openTidegate, place).catch((error: unknown) => {
      throw openingFailure(error, configFile, app);
    });
    try {
      tellProblems(opened, context);
      return await work(opened);
    } catch (error) {
      throw withNearestProfile(error, given, opened);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (error instanceof service.IdentityError || error instanceof service.AdminError)
      throw new Failure(error.code, error.message, error.next);
    if (error instanceof service.StoreError) throw new Failure(error.code, error.message);
    throw error;
  }
}

function tellProblems({ tidegate: { problems, trust } }: OpenTokenAdmin, { output }: Context): void {
  for (const line of problemLines(problems)) output.note(line);
  if (trust.isTrusted || trust.file === undefined) return;
  const next = `tidegate trust ${shellWord(trust.file)}`;
  output.note(`The file is not trusted, so its store and zone are not used. Review it, then run: ${next}`);
}

function withNearestProfile(error: unknown, given: Given, { tidegate }: OpenTokenAdmin): unknown {
  if (!hasCode(error, 'token.bad_profile')) return error;
  const known = [...(tidegate.access.rights?.authorizer.policy.names ?? [])];
  const near = didYouMean(textOption(given, 'profile') ?? '', known);
  return new Failure('token.bad_profile', `${error.message}${near}`, 'tidegate profile list');
}

/** Suggests a similar token ID if the token is unknown. */
export async function findingToken<T>(service: TokenAdmin, id: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!hasCode(error, 'token.not_found')) throw error;
    const known = (await service.list()).map((token) => token.id);
    throw new Failure('token.not_found', `${error.message}${didYouMean(id, known)}`, 'tidegate token list');
  }
}

function hasCode(error: unknown, code: string): error is Error {
  return codeOf(error) === code;
}
