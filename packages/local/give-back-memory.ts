/** The heap shrinks after start-up: loading needs a large heap, and V8 would keep it while there is little to do. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export function giveBackMemory(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}
