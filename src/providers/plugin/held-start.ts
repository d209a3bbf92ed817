/** The plugin must not start at this moment. It is tried again soon, and this is no failure of the plugin. */
export class HeldStart extends Error {}
