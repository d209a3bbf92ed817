# Runs a command in a terminal of a given width and prints what it wrote there: in_terminal.py COLUMNS COMMAND [ARGUMENT ...]
import fcntl, os, pty, struct, sys, termios

columns, command = int(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
    os.execvp(command[0], command)
while True:
    try:
        part = os.read(terminal, 65536)
    except OSError:
        break
    if not part:
        break
    sys.stdout.buffer.write(part)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
