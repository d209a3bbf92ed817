export { openSearch } from './open-search.js';
