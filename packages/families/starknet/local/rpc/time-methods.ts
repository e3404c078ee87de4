// Answers the methods of starknet-devnet by which a user's wallet passes the time: real nodes do not have them.
import type { Context, Methods } from './context.ts'
import { countParam } from './params.ts'

export function timeMethods({ node }: Context): Methods {
  return {
    devnet_increaseTime: {
      params: ['time'],
      answer(params) {
        node.passTime(countParam(params, 'time'))
        return { timestamp_increased_by: countParam(params, 'time'), block_hash: `0x${node.ledger.tip().hash.toString(16)}` }
      },
    },
    devnet_createBlock: {
      params: [],
      answer() {
        node.mine()
        return { block_hash: `0x${node.ledger.tip().hash.toString(16)}` }
      },
    },
  }
}
