import type { ServerLogin } from '../app/server-login.js';
import { hasErrors, printable } from '../config/index.js';
import { type Context, type Given, textOption } from './command.js';
import { Failure } from './failure.js';
import { locate, problemLines } from './locate.js';
import { didYouMean } from './nearest-name.js';
import { shellPath } from './shell-path.js';

/** The login to the server that was named. Only what the operator has trusted is logged in to. */
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
    const message = 'The file that names the server is not trusted: read it first.';
    throw new Failure('provider.untrusted', message, `tidegate trust ${shellPath(file)}`);
  }
  const { serverLogin } = await import('../app/server-login.js');
  const login = serverLogin(server, state.directory);
  if (login === 'no_http') {
    const message = `${name} is a program on this machine: there is no login to it.`;
    throw new Failure('login.no_http', message);
  }
  if (login === 'has_header') {
    const message = `The configuration shows an Authorization header to ${name}: that is its login.`;
    throw new Failure('login.has_header', message);
  }
  return { name, login };
}

/** What is known of why a login failed, as a failure of the command. */
export async function loginFailure(error: unknown, name: string, context: Context): Promise<unknown> {
  const { LoginFailure } = await import('../app/server-login.js');
  if (context.signal.aborted) return new Failure('call.cancelled', 'Interrupted: nobody was logged in.');
  if (!(error instanceof LoginFailure)) return error;
  const next = error.next ?? (worthAnother.includes(error.reason) ? `tidegate login ${name}` : undefined);
  return new Failure(`login.${error.reason}`, printable(error.message), next);
}

/** What another try may mend; for the rest the table knows better. */
const worthAnother: readonly string[] = ['denied', 'late', 'callback'];
