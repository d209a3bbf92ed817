/** The plugin must not start now. The start is retried soon and does not count as a failure of the plugin. */
export class HeldStart extends Error {}
