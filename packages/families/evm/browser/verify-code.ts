/** The code of an HTLC at the user's own node: a look-alike could answer every call as ours does, and an address without code keeps what is sent to it. */

import { verifyThat } from '@tandem/chain-kit/browser/check.ts'
import type { Node } from '@tandem/chain-kit/browser/family.ts'
import { jsonRpc } from '@tandem/chain-kit/browser/request.ts'
import { htlcCode } from '../terms/deploy/verify-code.ts'
import type { HtlcContract } from '../terms/htlc.ts'

export async function verifyCode(contract: HtlcContract, node: Node): Promise<void> {
  const code = String(await jsonRpc(node, 'eth_getCode', [contract.address, 'latest']))
  const found = code === '0x' ? `no code at ${contract.address}` : `another code at ${contract.address}`
  verifyThat(code.toLowerCase() === htlcCode(contract), 'htlc', 'the code of our HTLC', found)
}
