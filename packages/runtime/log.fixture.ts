/** This process logs more than standard error takes, and then says on standard output that it still lives. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from './log.ts'

const log = createLogger({ name: 'test', pretty: process.argv.includes('pretty') })
for (let i = 0; i < 20_000; i += 1) log.info({ i, text: 'x'.repeat(200) }, 'a line')
await sleep(100)
log.warn('one more')
process.stdout.write('alive\n', () => process.kill(process.pid, 'SIGKILL'))
