export {
  type Client,
  type ClientFile,
  type ClientPlace,
  type ClientServer,
  type TidegateStart,
  type Section,
  type ServerStart,
} from './client.js';
export { clients } from './clients.js';
export { type FoundServer, serversIn } from './found.js';
export { type TidegateEntry, tidegateEntryOf } from './tidegate-entry.js';
export { CannotEdit, type Change, edit } from './document.js';
export { canonical, isJsonObject, type Json, type JsonObject, objectAt } from './json-value.js';
export { variableName, without } from './notation.js';
