import type { MarkReader, SigningFacts } from '@tandem/chain-kit/port/signing-facts.ts'
import { min } from '@tandem/protocol/bigint.ts'
import { verifiableNetwork } from '../terms/nodes/verify-network.ts'
import { scriptOfAddress, walletAddress } from '../terms/script/address.ts'
import { estimateVsize } from '../terms/script/weight.ts'
import { feeCap, feeOf } from '../terms/wallet/fees.ts'
import { compose, REPLACEABLE_SEQUENCE, totalOf } from '../terms/wallet/sign.ts'
import type { CosignJobs } from './cosign/signing-jobs.ts'
import { connectNodes } from './nodes/connect-nodes.ts'
import { parseTransaction } from './script/transaction.ts'
import type { BitcoinOperations } from './signing.ts'

type ArgsOf<F> = F extends (signer: never, ...args: infer Args) => unknown ? Args : never
type Args<K extends keyof (BitcoinOperations & CosignJobs)> = ArgsOf<(BitcoinOperations & CosignJobs)[K]>

const markOf = ({ outpoint }: { readonly outpoint: string }) => `coin ${outpoint}`
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const outpointOf = (mark: string) => mark.slice(mark.indexOf(' ') + 1)

const SIGNATURE_BYTES = 64
/** OP_0 and the hash of a key (P2WPKH). */
const WALLET_SCRIPT_BYTES = 22

export const signingFacts: SigningFacts = {
  feeDecimals: 8,
  worstFee(name, args) {
    if (name === 'walletPayment') {
      const [coins, outputs] = args as Args<'walletPayment'>
      return totalOf(coins) - totalOf(outputs)
    }
    if (name === 'walletInput') {
      const [unsigned, , amount] = args as Args<'walletInput'>
      return amount - (parseTransaction(unsigned).outputs.at(-1)?.amount ?? 0n)
    }
    if (name === 'leafSpends') {
      const [inputs, output] = args as Args<'leafSpends'>
      return totalOf(inputs) - output.amount
    }
    if (name === 'leafWitnesses') {
      const [inputs, , [output]] = args as Args<'leafWitnesses'>
      return totalOf(inputs) - (output?.amount ?? 0n)
    }
    if (name === 'draft') {
      const [network, items, feeRate] = args as Args<'draft'>
      const deposits = items.flatMap((item) => item.deposits)
      const vsize = estimateVsize(
        deposits.map(() => [SIGNATURE_BYTES]),
        [new Uint8Array(WALLET_SCRIPT_BYTES)],
      )
      // The operation itself pays no more than that.
      return min(feeOf(vsize, feeRate), feeCap(totalOf(deposits), vsize, network))
    }
    return null
  },
  marks(name, args) {
    if (name === 'walletPayment' || name === 'leafSpends' || name === 'leafWitnesses') return (args as Args<'walletPayment'>)[0].map(markOf)
    if (name === 'walletInput') {
      const [unsigned, index] = args as Args<'walletInput'>
      return parseTransaction(unsigned)
        .inputs.slice(index, index + 1)
        .map(markOf)
    }
    if (name === 'draft') return (args as Args<'draft'>)[1].flatMap(({ deposits }) => deposits.map(({ id }) => markOf({ outpoint: id })))
    return []
  },
  /** BIP143: the signature for a coin is over its own amount alone, so two signatures could be put together whose other amounts were false. */
  claims: (name, args) =>
    name === 'walletPayment' ? (args as Args<'walletPayment'>)[0].map((coin) => `${markOf(coin)} ${coin.amount}`) : [],
  transactionId(name, args) {
    if (name !== 'walletPayment') return null
    const [coins, outputs] = args as Args<'walletPayment'>
    // The scripts of the inputs are in no part of the id.
    return parseTransaction(hexOf(compose(coins, new Uint8Array(), REPLACEABLE_SEQUENCE, outputs).unsignedTx)).txid()
  },
  connect(chain, options) {
    const network = verifiableNetwork(chain)
    const { backend, close } = connectNodes(chain, network, { ...options, assets: [] })
    const minedSpender = async (outpoint: string) => {
      const spender = await backend.spenderOf(outpoint, 0n)
      return spender !== null && spender.confirmations >= BigInt(chain.finalityBlocks) ? spender.txid : null
    }
    const reader: MarkReader = {
      async isUsedByOther(mark, _, ours) {
        const spender = await minedSpender(outpointOf(mark))
        return spender !== null && !ours.has(spender)
      },
      /** The HTLC is the first output. What spends it by its refund has one output, to our wallet. */
      async cameBack(transaction, key) {
        const spender = await minedSpender(`${transaction}:0`)
        if (spender === null) return false
        const paid = await backend.contentOf(`${spender}:0`)
        const own = scriptOfAddress(walletAddress(key.publicKey, network), network)
        return paid !== null && hexOf(paid.script) === hexOf(own)
      },
      amountOf: async (mark) => (await backend.contentOf(outpointOf(mark)))?.amount ?? null,
      close,
    }
    return reader
  },
}
