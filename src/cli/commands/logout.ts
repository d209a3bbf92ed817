import { printable } from '../../config/index.js';
import { type Command, configOption } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { findLogin, loginFailure } from '../find-login.js';

export const logout: Command = {
  name: 'logout',
  summary: 'Forget the login to a server, and revoke its tokens where the server can.',
  arguments: [{ name: '<server>', about: 'The server, as it is called in tidegate.yaml.' }],
  options: [configOption],
  examples: ['tidegate logout github'],
  async run(given, context) {
    const { name, login } = await findLogin(given, context);
    const { output } = context;
    try {
      const ended = await login.end(context.signal);
      output.json({ server: name, wasLoggedIn: ended !== 'none', revoked: ended === 'revoked' });
      output.line(
        ended === 'none'
          ? `Nobody was logged in to ${printable(name)}.`
          : `Logged out of ${printable(name)}.`,
      );
      if (ended === 'unrevoked')
        output.note(
          'its authorization server was not told, or did not take it: tokens may be good there until they end',
        );
      return exitCodes.ok;
    } catch (error) {
      throw await loginFailure(error, name, context);
    }
  },
};
