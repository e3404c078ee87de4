// A small shell runs a program, and stops it when this process's end of a pipe closes, so also when this process is killed.
import { type ChildProcess, spawn } from 'node:child_process'
import type { ServerUser } from './server-user.ts'

export type Supervised = {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  stop(): Promise<void>
}

/** The supervising shell has this name in the process list. */
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
  readonly outputFd: number
  readonly removeWhenEnded?: readonly string[]
  readonly removeWhenFailed?: readonly string[]
}): Supervised => {
  const script = ['-c', SCRIPT, SUPERVISOR_NAME, options.stopSignal, removal(options.removeWhenEnded), removal(options.removeWhenFailed)]
  const child = spawn('/bin/sh', [...script, ...options.command], {
    // The program has its own process group: Ctrl-C in a terminal must not stop the database before the application has closed.
    detached: true,
    cwd: '/',
    // This environment is not passed on: it may contain keys, and PG* variables would change the server's settings.
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
