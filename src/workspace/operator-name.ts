import { userInfo } from 'node:os';

/** The user name of the operator. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    // The user has no name, as in some containers.
    return 'operator';
  }
}
