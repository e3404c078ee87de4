/** Tests of `runUntilStopped` run this command: its argument selects the behaviour, and it reports on standard output. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { createLogger } from '@tandem/runtime/log.ts'
import { runUntilStopped } from './run-until-stopped.ts'

const [task, port] = process.argv.slice(2)
const say = (what: string) => void process.stdout.write(`${what}\n`)
const forever = () => setInterval(() => undefined, 3_600_000)

// The test holds the other end, so this process exits when it is gone. The pipe of a test that kills npm ends with npm.
if (task !== 'under npm') {
  process.stdin
    .on('end', () => process.exit(1))
    .resume()
    .unref()
}

const listen = (): Promise<never> => new Promise((_, reject) => void createServer().once('error', reject).listen(Number(port), '127.0.0.1'))

/** Both signals arrive at the same time, however slow the machine is. */
const standingClock = () => 0

const start = async () => {
  if (task === 'listen') await listen()
  if (task === 'fail') throw new Error('the chain is on fire')
  const timer = forever()
  say('running')
  return {
    async stop() {
      say('stopping')
      if (task === 'hang') await new Promise<never>(() => undefined)
      if (task === 'stop after another') await once(process, 'SIGINT')
      clearInterval(timer)
      if (task === 'fail to stop') throw new Error('it does not stop')
      say('stopped')
    },
  }
}

await runUntilStopped(createLogger({ name: 'test', level: 'silent' }), start, task === 'stop after another' ? standingClock : undefined)
