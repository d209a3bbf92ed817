/** Where a store reports problems that no caller is waiting for. */
export type StoreLog = (
  level: 'warn' | 'info',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;
