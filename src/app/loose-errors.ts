import { messageOf, stackOf } from '../lib/error-message.js';

/**
 * An unhandled rejection or a throwing timer of a workspace tool would end the gateway. Errors whose stack points to the
 * tool folder are logged and ignored; every other error still ends the process.
 */
export function surviveErrorsFrom(folder: string, tell: (message: string) => void): { close(): void } {
  const onError = (error: unknown): void => {
    if (comesFrom(error, folder)) return tell(messageOf(error));
    process.stderr.write(`${stackOf(error)}\n`);
    process.exit(1);
  };
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  return {
    close() {
      process.off('uncaughtException', onError);
      process.off('unhandledRejection', onError);
    },
  };
}

function comesFrom(error: unknown, folder: string): boolean {
  try {
    return error instanceof Error && String(error.stack).includes(folder);
  } catch {
    // The error object itself throws when read.
    return false;
  }
}
