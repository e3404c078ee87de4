/** One shell, in which commands run one after the other: variables and functions stay. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { STAND_INS } from './stand-ins.ts'

export interface Terminal {
  /** Resolves to what the command printed on standard output. Rejects with everything it printed, if it fails or hangs. */
  run(command: string): Promise<string>
  close(): Promise<void>
}

const MARK = '-- end of the command:'
/** Sources start ten times slower than a build, so no page may do what makes the build stale. */
const STALE = 'dist/ is older than the sources'
/** Ends a command that hangs. None takes a minute on a quiet machine. */
const LIMIT_MS = 600_000

export function openTerminal(folder: string, env: NodeJS.ProcessEnv, limitMs = LIMIT_MS): Terminal {
  // A group of its own: with the shell, all that it runs can be ended.
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, stdio: 'pipe', detached: true })
  const ended = once(shell, 'close')
  shell.stdin.write(`${STAND_INS}\n`)
  const streams = [shell.stdout, shell.stderr]
  for (const stream of streams) stream.setEncoding('utf8')

  const kill = () => {
    if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
  }

  /** Resolves to the output of a stream until the mark, or until the shell ends. */
  const untilMark = (stream: (typeof streams)[number]) =>
    new Promise<string>((resolve) => {
      let text = ''
      const end = () => {
        stream.off('data', take)
        shell.off('close', end)
        resolve(text)
      }
      const take = (part: string) => {
        text += part
        if (new RegExp(`${MARK} \\d+\n$`).test(text)) end()
      }
      stream.on('data', take)
      shell.once('close', end)
    })

  return {
    async run(command) {
      const printed = Promise.all(streams.map(untilMark))
      const limit = setTimeout(kill, limitMs)
      // The shell itself is read from standard input, so the command gets none.
      shell.stdin.write(`{ ${command}\n} </dev/null\ncode=$?; printf '\\n${MARK} %d\\n' $code; printf '\\n${MARK} %d\\n' $code >&2\n`)
      const [output = '', notes = ''] = await printed
      clearTimeout(limit)
      const end = output.lastIndexOf(`\n${MARK}`)
      if (end === -1) throw new Error(`${command}\nhung, or ended the shell:\n${output}\n${notes}`)
      const code = Number(output.slice(end).match(/\d+/)?.[0])
      const answer = output.slice(0, end)
      if (code !== 0) throw new Error(`${command}\nended with ${code}:\n${answer}\n${notes}`)
      if (notes.includes(STALE)) throw new Error(`${command}\nran from the sources, because one of them is newer than the build`)
      return answer
    },
    async close() {
      shell.stdin.end()
      await ended
    },
  }
}
