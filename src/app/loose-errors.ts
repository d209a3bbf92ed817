import { messageOf, stackOf } from '../lib/error-message.js';

/**
 * An unhandled rejection or a throwing timer of a workspace tool would end the gateway. Errors whose stack points to the
 * tool folder are logged and ignored; every other error still ends the process.
 */
export function surviveErrorsFrom(folder: string, tell: (message: string) => void): { close(): void } {
  const isOurs = (error: unknown): boolean => comesFrom(error, folder);
  const onError = Object.assign(
    (error: unknown): void => {
      if (isOurs(error)) return tell(messageOf(error));
      // Another workspace of this process logs it.
      if (process.listeners('uncaughtException').some((other) => claims(other, error))) return;
      process.stderr.write(`${stackOf(error)}\n`);
      process.exit(1);
    },
    { [claim]: isOurs },
  );
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  return {
    close() {
      process.off('uncaughtException', onError);
      process.off('unhandledRejection', onError);
    },
  };
}

const claim = Symbol('claims an error');

function claims(listener: object, error: unknown): boolean {
  return isClaiming(listener) && listener[claim](error);
}

function isClaiming(listener: object): listener is { readonly [claim]: (error: unknown) => boolean } {
  return claim in listener;
}

function comesFrom(error: unknown, folder: string): boolean {
  try {
    return error instanceof Error && String(error.stack).includes(folder);
  } catch {
    // The error object itself throws when read.
    return false;
  }
}
