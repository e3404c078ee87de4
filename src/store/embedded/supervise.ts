// Runs a program under a small shell that stops it when we close a pipe, and so also when we are killed.
import { type ChildProcess, spawn } from 'node:child_process'
import type { ServerUser } from './server-user.ts'

export type Supervised = {
  readonly child: ChildProcess
  /** The program's exit status; resolves once the supervisor has ended too. */
  readonly exited: Promise<number | null>
  stop(): Promise<void>
}

/** How the supervising shell names itself in the process list. */
export const SUPERVISOR_NAME = 'tandem-supervisor'

// The pipe on stdin is the leash: end of file means that its holder asked for a stop or is gone.
// The signal is repeated because a program that has not yet installed its handlers would ignore the first one:
// POSIX has shells start background programs with SIGINT and SIGQUIT ignored.
const SCRIPT = `
signal=$1 when_ended=$2 when_failed=$3
shift 3
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
program=$!
( read -r _ <&3; while kill -s "$signal" "$program"; do sleep 0.2; done ) 2>/dev/null &
leash=$!
wait "$program"
status=$?
kill -KILL "$leash" 2>/dev/null
eval "$when_ended"
[ "$status" -eq 0 ] || eval "$when_failed"
exit "$status"
`

export const supervise = (options: {
  readonly command: readonly string[]
  readonly user: ServerUser
  readonly stopSignal: 'INT' | 'QUIT' | 'TERM'
  /** File descriptor that receives what the program writes. */
  readonly outputFd: number
  readonly removeWhenEnded?: readonly string[]
  readonly removeWhenFailed?: readonly string[]
}): Supervised => {
  const script = ['-c', SCRIPT, SUPERVISOR_NAME, options.stopSignal, removal(options.removeWhenEnded), removal(options.removeWhenFailed)]
  const child = spawn('/bin/sh', [...script, ...options.command], {
    // A process group of its own: Ctrl-C in a terminal must not stop the database before the application has closed.
    detached: true,
    cwd: '/',
    // Nothing of our environment: it may hold keys, and PG* variables would change what is run.
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
