/** A part that other parts refer to before it is open. They may read it only when they are called. */
export interface Late<T> {
  readonly get: () => T;
  readonly set: (value: T) => T;
}

export function createLate<T>(name: string): Late<T> {
  let part: { readonly value: T } | undefined;
  return {
    get() {
      if (part === undefined) throw new Error(`the ${name} is not open yet`);
      return part.value;
    },
    set(value) {
      part = { value };
      return value;
    },
  };
}
