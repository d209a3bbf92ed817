/** Where a store tells of trouble that nobody is waiting to hear. */
export type StoreLog = (
  level: 'warn' | 'info',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;
