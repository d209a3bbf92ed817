import type { AccessStore, Soon, ZoneHead } from '../access/ports/index.js';
import type { KnownStore } from './known-stores.js';

/** Wraps the store so that it refuses to answer if it is not the store that held the access rules. */
export function withKnownStore(store: AccessStore, known: KnownStore): AccessStore {
  const checked = (zone: string, head: ZoneHead): ZoneHead => {
    known.require(zone, head);
    return head;
  };
  const head = (zone: string): Soon<ZoneHead> => {
    const found = store.head(zone);
    return found instanceof Promise ? found.then((read) => checked(zone, read)) : checked(zone, found);
  };
  /** Records a new store before its first change is acknowledged. */
  const written = async <T>(zone: string, write: () => Promise<T>): Promise<T> => {
    await head(zone);
    const done = await write();
    await head(zone);
    return done;
  };
  return {
    ...store,
    head,
    changes(zone, from) {
      const found = store.changes(zone, from);
      if (!(found instanceof Promise)) {
        checked(zone, found.head);
        return found;
      }
      return found.then((read) => {
        checked(zone, read.head);
        return read;
      });
    },
    write: (change) => written(change.zone, () => store.write(change)),
    addToken: (token, record, expected) => written(token.zone, () => store.addToken(token, record, expected)),
    revokeToken: (zone, ...rest) => written(zone, () => store.revokeToken(zone, ...rest)),
    async grants(zone, filter) {
      await head(zone);
      return store.grants(zone, filter);
    },
    async tokens(zone) {
      await head(zone);
      return store.tokens(zone);
    },
  };
}
