/** A command that runs until Ctrl-C, in a terminal of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { STAND_INS } from './stand-ins.ts'

export interface Task {
  /** Rejects with all that it printed, if it ends before. */
  readonly ready: Promise<void>
  /** Ctrl-C. */
  close(): Promise<void>
}

export function startTask(command: string, ready: RegExp, folder: string, env: NodeJS.ProcessEnv): Task {
  // A group of its own: Ctrl-C goes to all processes of a terminal.
  const child = spawn('bash', ['-c', `${STAND_INS}\n${command}`], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  let printed = ''
  return {
    ready: new Promise((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => {
          printed += text
          if (ready.test(printed)) resolve()
        })
      child.once('error', reject)
      child.once('close', (code) => reject(new Error(`${command}\nended with ${code}:\n${printed}`)))
    }),
    async close() {
      if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
      await ended
    },
  }
}
