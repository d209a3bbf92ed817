import { findProgram } from '../lib/find-program.js';
import type { DesktopParts } from '../services/desktop/index.js';
import { createProjectSense } from './project-sense.js';

/** Variables that a program needs to reach the user's desktop. */
const desktopNames = [
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
] as const;

/** How to start a notification program; never one from the project. */
export function desktopPlace(
  base: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string | undefined>>,
  roots: readonly string[],
): Pick<DesktopParts, 'env' | 'findProgram'> {
  const [cwd = '/'] = roots;
  const sense = createProjectSense({ cwd, env: own, roots });
  const found = desktopNames.flatMap((name) => {
    const value = own[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const { PATH: path = '' } = sense.environment();
  return {
    env: { ...base, PATH: path, ...Object.fromEntries(found) },
    findProgram: (name) => findProgram(name, sense.environment(), cwd, (file) => !sense.isOfProject(file)),
  };
}
