import { printable } from '../../../config/index.js';
import { type Command, configOption } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { findLogin, loginFailure } from './find-login.js';

export const logout: Command = {
  name: 'logout',
  summary: 'Log out of a server: delete its tokens, and revoke them if the server supports it.',
  arguments: [{ name: '<server>', about: 'Name of the server in tidegate.yaml.' }],
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
          ? `You were not logged in to ${printable(name)}.`
          : `Logged out of ${printable(name)}.`,
      );
      if (ended === 'unrevoked')
        output.note(
          'The tokens were deleted here but not revoked at the authorization server. They may stay valid there until they expire.',
        );
      return exitCodes.ok;
    } catch (error) {
      throw await loginFailure(error, name, context);
    }
  },
};
