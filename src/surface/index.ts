export { createEagerSurface, type Surface } from './show.js';
