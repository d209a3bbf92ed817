// Preloaded into a child that a script starts with an IPC channel: when the script is gone, however it went, the
// channel closes and the child ends as if it had been told to.
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
