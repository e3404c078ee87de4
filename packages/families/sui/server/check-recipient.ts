/** Refuses recipients from which nobody could move what they receive. Objects have addresses too, and look like accounts. */
import { parseAddress } from '../terms/address.ts'
import type { SuiNode } from './nodes/node.ts'

/** One request. */
export async function checkRecipient(node: Pick<SuiNode, 'object'>, address: string): Promise<string | null> {
  const found = await node.object(parseAddress(address))
  if (found === null) return null
  const what = found.type === 'package' ? 'a package' : 'an object'
  return `${address} is ${what}, not an account: nobody could spend what it receives`
}
