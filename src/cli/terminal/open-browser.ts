import { spawn } from 'node:child_process';
import type { Context } from '../command.js';

/** Opens a link in the browser of this machine. False if there is none. */
export function openBrowser(
  link: string,
  { env }: Pick<Context, 'env'>,
  platform = process.platform,
): boolean {
  const command = browserOf(env, platform);
  if (command === undefined) return false;
  const [program, ...args] = command;
  // The browser outlives this process. Its errors are ignored, because the link is also printed.
  const child = spawn(program, [...args, link], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return true;
}

type Words = readonly [string, ...string[]];

/** Started without a shell, so a link cannot inject commands. */
function browserOf(env: Context['env'], platform: NodeJS.Platform): Words | undefined {
  const own = env['BROWSER'];
  if (own !== undefined && own !== '') return [own];
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasScreen = [env['DISPLAY'], env['WAYLAND_DISPLAY']].some((one) => one !== undefined && one !== '');
  return hasScreen ? ['xdg-open'] : undefined;
}
