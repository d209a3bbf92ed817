import { spawn } from 'node:child_process';
import type { Context } from './command.js';

/** Shows a link in the browser of this machine. False where there is none to be seen. */
export function openBrowser(
  link: string,
  { env }: Pick<Context, 'env'>,
  platform = process.platform,
): boolean {
  const command = browserOf(env, platform);
  if (command === undefined) return false;
  const [program, ...args] = command;
  // The browser is the person's own and stays; what goes wrong with it is seen by whoever waits for it.
  const child = spawn(program, [...args, link], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return true;
}

type Words = readonly [string, ...string[]];

/** No shell is asked, so nothing in a link can mean anything to one. */
function browserOf(env: Context['env'], platform: NodeJS.Platform): Words | undefined {
  const own = env['BROWSER'];
  if (own !== undefined && own !== '') return [own];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasScreen = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((one) => one !== undefined && one !== '');
  return hasScreen ? ['xdg-open'] : undefined;
}
