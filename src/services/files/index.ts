export { type Defence, defenceOf } from './defence.js';
export { sweepDrafts } from './drafts.js';
export { type FilesParts, openFiles } from './open-files.js';
export { isProtected, protectedPaths } from './protected.js';
