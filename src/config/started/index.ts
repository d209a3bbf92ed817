export { coverImports } from './cover-imports.js';
export { coverLines } from './cover-start.js';
export { lockRecordOf } from './lock-record.js';
export { serverRecordName } from './record-names.js';
export {
  recordServer,
  serverRefusal,
  type ServerStanding,
  serverStanding,
  withLock,
} from './server-standing.js';
