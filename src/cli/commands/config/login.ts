import type { OpenServerLogin } from '../../../app/index.js';
import { printable } from '../../../config/index.js';
import { type Command, configOption, type Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { findLogin, loginFailure } from './find-login.js';
import { openBrowser } from '../../terminal/open-browser.js';

export const login: Command = {
  name: 'login',
  summary: 'Log in to a server in your browser and store its tokens for Tidegate.',
  arguments: [{ name: '<server>', about: 'Name of the server in tidegate.yaml.' }],
  options: [
    {
      name: 'no-browser',
      about: 'Print the link without opening a browser. You can open it on another machine.',
    },
    configOption,
  ],
  examples: ['tidegate login github', 'tidegate login github --no-browser'],
  async run(given, context) {
    const { name, login: found } = await findLogin(given, context);
    const { output } = context;
    const stop = new AbortController();
    // Waiting for the browser does not keep the process alive, so this timer does.
    const awake = setInterval(() => undefined, 60_000);
    const signal = AbortSignal.any([context.signal, stop.signal]);
    try {
      const open = await found.begin(signal);
      show(open, name, context, given.options['no-browser'] === true);
      await Promise.race([open.finished, pasted(open, context)]);
    } catch (error) {
      throw await loginFailure(error, name, context);
    } finally {
      clearInterval(awake);
      stop.abort();
    }
    const facts = found.kept();
    output.json({ server: name, ...facts });
    output.line(`Logged in to ${printable(name)}${facts.isRenewed === true ? '' : lasts(facts.until)}.`);
    output.note('A running gateway uses the new login immediately.');
    return exitCodes.ok;
  },
};

function lasts(until: string | undefined): string {
  return until === undefined ? '' : ` until ${until}`;
}

/** Always shows the link, because the browser may be on another machine. */
function show({ link, redirect }: OpenServerLogin, name: string, context: Context, isQuiet: boolean): void {
  const { output } = context;
  const isOpened = !isQuiet && openBrowser(link, context);
  output.note(
    isOpened
      ? `Opening your browser to log in to ${name}. If nothing opens, use this link:`
      : `To log in to ${name}, open:`,
  );
  output.note(link);
  if (!context.input.isTerminal) return;
  output.note(
    `If the browser is on another machine, paste the address of the last page here (${redirect}?…).`,
  );
}

/** An empty answer does not end the wait, because the browser may still return. */
async function pasted(open: OpenServerLogin, { input, output, signal }: Context): Promise<void> {
  while (input.isTerminal && !signal.aborted) {
    const text = await input.ask('> ');
    if (text.trim() === '') break;
    try {
      open.paste(text);
      break;
    } catch (error) {
      output.note(error instanceof Error ? printable(error.message) : 'That is not a valid address.');
    }
  }
  return open.finished;
}
