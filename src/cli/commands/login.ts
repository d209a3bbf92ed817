import type { OpenServerLogin } from '../../app/server-login.js';
import { printable } from '../../config/index.js';
import { type Command, configOption, type Context } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { findLogin, loginFailure } from '../find-login.js';
import { openBrowser } from '../open-browser.js';

export const login: Command = {
  name: 'login',
  summary: 'Log in to a server that wants it: opens a browser, and keeps the tokens for the gate.',
  arguments: [{ name: '<server>', about: 'The server, as it is called in tidegate.yaml.' }],
  options: [
    { name: 'no-browser', about: 'Only print the link. The browser may be on another machine.' },
    configOption,
  ],
  examples: ['tidegate login github', 'tidegate login github --no-browser'],
  async run(given, context) {
    const { name, login: found } = await findLogin(given, context);
    const { output } = context;
    const stop = new AbortController();
    // What waits for a browser keeps no process alive: here it is all that there is to wait for.
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
    output.note('a gate that runs sees it by itself');
    return exitCodes.ok;
  },
};

function lasts(until: string | undefined): string {
  return until === undefined ? '' : ` until ${until}`;
}

/** The link is always shown: who sits elsewhere can still use it. */
function show({ link, redirect }: OpenServerLogin, name: string, context: Context, isQuiet: boolean): void {
  const { output } = context;
  const isOpened = !isQuiet && openBrowser(link, context);
  output.note(isOpened ? `the browser opens to log in to ${name}; or open:` : `to log in to ${name}, open:`);
  output.note(link);
  if (!context.input.isTerminal) return;
  output.note(
    `If the browser is on another machine, paste the address here that it ends at (${redirect}?…).`,
  );
}

/** Never resolves by an empty answer: the browser may still come back. */
async function pasted(open: OpenServerLogin, { input, output, signal }: Context): Promise<void> {
  while (input.isTerminal && !signal.aborted) {
    const text = await input.ask('> ');
    if (text.trim() === '') break;
    try {
      open.paste(text);
      break;
    } catch (error) {
      output.note(error instanceof Error ? printable(error.message) : 'that was no address');
    }
  }
  return open.finished;
}
