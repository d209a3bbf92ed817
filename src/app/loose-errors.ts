/**
 * A promise that a workspace tool forgot, or a timer of it that throws, would end the gate. Errors whose trace leads into
 * the folder of the tools are told and survived; every other one ends the process, as it would without this.
 */
export function surviveErrorsFrom(folder: string, tell: (message: string) => void): { close(): void } {
  const onError = (error: unknown): void => {
    if (comesFrom(error, folder)) return tell(error instanceof Error ? error.message : String(error));
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
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
    // An error that cannot be asked is nobody's we know.
    return false;
  }
}
