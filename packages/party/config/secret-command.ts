/** Runs the program that a configuration names for a secret, such as that of a password manager. What it prints is the secret. */
import { execFile } from 'node:child_process'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 64 * 1024

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be run: this user may not execute it',
  ERR_CHILD_PROCESS_STDIO_MAXBUFFER: `printed more than ${MAX_BYTES} bytes`,
}

/**
 * There is no shell, and no input. Throws in phrases that go on after the name of the program. The error of Node is not passed on: it
 * quotes the arguments and what the program printed, which may be secret.
 */
export function runSecretCommand(command: readonly string[], folder: string, timeoutMs: number = TIMEOUT_MS): Promise<string> {
  const [program = '', ...args] = command
  return new Promise((resolve, reject) => {
    const options = { cwd: folder, timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES, windowsHide: true } as const
    const child = execFile(program, args, options, (error, printed) => {
      if (error === null) resolve(printed)
      else reject(new Error(faultOf(error.code, child.exitCode, timeoutMs)))
    })
    // A program that has ended already does not read.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end()
  })
}

function faultOf(code: string | number | null | undefined, exitCode: number | null, timeoutMs: number): string {
  if (typeof code === 'string') return FAULTS[code] ?? `cannot be run (${code})`
  if (exitCode !== null) return `ended with the exit code ${exitCode}`
  return `did not end within ${timeoutMs / 1000} s`
}
