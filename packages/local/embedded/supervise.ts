// Runs a program under a small shell. The shell stops the program when our end of a pipe closes, so also when we are killed.
import { type ChildProcess, spawn } from 'node:child_process'
import type { ServerUser } from './server-user.ts'

export type Supervised = {
  readonly child: ChildProcess
  /** The program's exit status; resolves once the supervisor has ended too. */
  readonly exited: Promise<number | null>
  stop(): Promise<void>
}

/** The name of the supervising shell in the process list. */
export const SUPERVISOR_NAME = 'tandem-supervisor'

// End of file on stdin means that the application asked for a stop or has ended.
// The signal is repeated, because a program that has not yet installed its handlers ignores the first one:
// POSIX shells start background programs with SIGINT and SIGQUIT ignored.
const SCRIPT = `
signal=$1 when_ended=$2 when_failed=$3
shift 3
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
program=$!
( read -r _ <&3; while kill -s "$signal" "$program"; do sleep 0.2; done ) 2>/dev/null &
watcher=$!
wait "$program"
status=$?
kill -KILL "$watcher" 2>/dev/null
eval "$when_ended"
[ "$status" -eq 0 ] || eval "$when_failed"
exit "$status"
`

export const supervise = (options: {
  readonly command: readonly string[]
  readonly user: ServerUser
  readonly stopSignal: 'INT' | 'QUIT' | 'TERM' | 'KILL'
  /** File descriptor that receives the program's output. */
  readonly outputFd: number
  readonly removeWhenEnded?: readonly string[]
  readonly removeWhenFailed?: readonly string[]
}): Supervised => {
  const script = ['-c', SCRIPT, SUPERVISOR_NAME, options.stopSignal, removal(options.removeWhenEnded), removal(options.removeWhenFailed)]
  const child = spawn('/bin/sh', [...script, ...options.command], {
    // Its own process group: Ctrl-C in a terminal must not stop the database before the application has closed.
    detached: true,
    cwd: '/',
    // Do not pass our environment: it may contain keys, and PG* variables would change the server's settings.
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['pipe', options.outputFd, options.outputFd],
    ...(options.user ?? {}),
  })
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  return {
    child,
    exited,
    stop: async () => {
      child.ref()
      child.stdin?.destroy()
      await exited
    },
  }
}

const removal = (paths: readonly string[] = []): string =>
  paths.length === 0 ? ':' : `rm -rf ${paths.map((path) => `'${path.replaceAll("'", "'\\''")}'`).join(' ')}`
