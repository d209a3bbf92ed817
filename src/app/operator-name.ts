import { userInfo } from 'node:os';

/** The name of whoever sits at this machine. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without a name on this machine, as in some containers.
    return 'operator';
  }
}
