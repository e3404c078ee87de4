/** One role of the service in a process of its own, started by the local stack. It ends with this process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '@tandem/runtime/package-root.ts'
import type { Role } from '@tandem/service/role.ts'

/** In the environment of such a process: it tells the local stack by their channel that it runs, and ends when the channel does. */
export const OF_STACK = 'TANDEM_OF_STACK'

export interface ServiceProcess {
  readonly pid: number
  stop(): Promise<void>
}

/** Resolves when it runs. Its log goes where ours goes. */
export async function startServiceProcess(role: Role, configFile: string, logLevel: string): Promise<ServiceProcess> {
  const launcher = join(PACKAGE_ROOT, 'bin', 'tandem.js')
  const child = spawn(process.execPath, [launcher, 'start', '--role', role, '--config', configFile, '--log-level', logLevel], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, [OF_STACK]: '1' },
    // A Ctrl-C in the terminal is for the local stack, which then stops it.
    detached: true,
  })
  const exited = once(child, 'exit')
  // Its only message says that it runs.
  const first = await Promise.race([once(child, 'message').then(() => 'running' as const), exited])
  if (first !== 'running' || child.pid === undefined) throw new Error(`the process with --role ${role} ended; its log says why`)
  return {
    pid: child.pid,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      await exited
    },
  }
}
