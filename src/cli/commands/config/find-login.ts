import type { ServerLogin } from '../../../app/index.js';
import { hasErrors, printable, shellWord } from '../../../config/index.js';
import { type Context, type Given, textOption } from '../../command.js';
import { Failure } from '../../failure.js';
import { locate, problemLines } from '../../locate.js';
import { didYouMean } from '../../nearest-name.js';

/** The login of the named server. Refuses servers from untrusted files. */
export async function findLogin(
  given: Given,
  context: Context,
): Promise<{ name: string; login: ServerLogin }> {
  const [name = ''] = given.arguments;
  const { located, state } = await locate(textOption(given, 'config'), context);
  const { config, problems, file, isTrusted } = located;
  const lines = problemLines(problems);
  if (hasErrors(problems))
    throw new Failure('config.invalid', 'The configuration has errors.', 'tidegate config check', lines);
  const server = config.servers.find((one) => one.name === name);
  if (server === undefined) {
    const near = didYouMean(
      name,
      config.servers.map((one) => one.name),
    );
    throw new Failure('server.not_found', `Unknown server: ${printable(name)}.${near}`, 'tidegate servers');
  }
  if (!isTrusted) {
    const message = 'The file that configures the server is not trusted. Review it first.';
    throw new Failure('provider.untrusted', message, `tidegate trust ${shellWord(file)}`);
  }
  const { serverLogin } = await import('../../../app/server-login.js');
  const login = serverLogin(server, state.directory);
  if (login === 'no_http') {
    const message = `${name} is a local program, so there is no login.`;
    throw new Failure('login.no_http', message);
  }
  if (login === 'has_header') {
    const message = `The configuration already sends an Authorization header to ${name}.`;
    throw new Failure('login.has_header', message);
  }
  return { name, login };
}

/** Turns a login error into a failure of the command. */
export async function loginFailure(error: unknown, name: string, context: Context): Promise<unknown> {
  const { LoginFailure } = await import('../../../app/server-login.js');
  if (context.signal.aborted) return new Failure('call.cancelled', 'Interrupted. You are not logged in.');
  if (!(error instanceof LoginFailure)) return error;
  const next =
    error.next ?? (worthAnother.includes(error.reason) ? `tidegate login ${shellWord(name)}` : undefined);
  return new Failure(`login.${error.reason}`, printable(error.message), next);
}

/** Reasons that a retry may solve. The others have a remedy in the code table. */
const worthAnother: readonly string[] = ['denied', 'late', 'callback'];
