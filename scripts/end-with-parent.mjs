// Preloaded into a child process that a script starts with an IPC channel: when the script ends for any reason, the
// channel closes and the child exits as if it had received SIGTERM.
if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
