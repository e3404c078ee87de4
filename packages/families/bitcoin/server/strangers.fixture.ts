/** Lists the ways in which strangers can pay to an HTLC address: one transaction of any form, several, or a block of their own. */
import { randomBytes } from 'node:crypto'
import { p2wpkh, Transaction } from '@scure/btc-signer'
import type { ChainClient } from '@tandem/chain-kit/port/client.ts'
import {
  type AgreedSwap,
  each,
  RefusedByChain,
  type StrangersWay,
  strangersWay,
} from '@tandem/chain-kit/testing/strangers-initiation.fixture.ts'
import { createTestSigner } from '@tandem/keys/keys.fixture.ts'
import type { HtlcTerms } from '@tandem/protocol/htlc.ts'
import fc from 'fast-check'
import { networkOf } from '../terms/networks.ts'
import { walletAddress } from '../terms/script/address.ts'

type PayingChain = {
  pay(address: string, amount: bigint): Promise<string>
  rpc<T>(method: string, params: readonly unknown[]): Promise<T>
  mine(blocks: number): Promise<void>
}

type Coin = { readonly txid: string; readonly index: number; readonly amount: bigint }
type Output = { readonly address: string; readonly amount: bigint }
type Form = {
  readonly version: number
  readonly lockTime: number
  readonly sequence: number
  readonly before: number
  readonly after: number
}

const FEE = 100_000n
const SUBSIDY = 5_000_000_000n
const HALVING_BLOCKS = 150
/** The amount is above what nodes of each chain call dust and do not relay. */
const SMALL = 10_000n
const PLAIN: Form = { version: 2, lockTime: 0, sequence: 0xffffffff, before: 0, after: 0 }

export function bitcoinWays(chain: PayingChain, client: ChainClient): readonly StrangersWay[] {
  const network = networkOf(client.chain.reference)
  const key = randomBytes(32)
  const { publicKey } = createTestSigner(key.toString('hex'))
  const own = walletAddress(publicKey, network)

  async function coinOf(amount: bigint): Promise<Coin> {
    const txid = await chain.pay(own, amount)
    const { vout } = await chain.rpc<{ vout: readonly { n: number; scriptPubKey: { hex: string } }[] }>('getrawtransaction', [txid, true])
    const script = Buffer.from(p2wpkh(publicKey, network).script).toString('hex')
    const index = vout.find(({ scriptPubKey }) => scriptPubKey.hex === script)?.n
    if (index === undefined) throw new Error('the payment does not pay its address')
    return { txid, index, amount }
  }

  async function send(coins: readonly Coin[], outputs: readonly Output[], { version, lockTime, sequence } = PLAIN): Promise<string> {
    const transaction = new Transaction({ version, lockTime, allowUnknownOutputs: true })
    const { script } = p2wpkh(publicKey, network)
    for (const { txid, index, amount } of coins) transaction.addInput({ txid, index, sequence, witnessUtxo: { amount, script } })
    for (const { address, amount } of outputs) transaction.addOutputAddress(address, amount, network)
    transaction.sign(key)
    transaction.finalize()
    return chain.rpc<string>('sendrawtransaction', [transaction.hex]).catch((error: unknown) => {
      throw new RefusedByChain(String(error))
    })
  }

  const others = (count: number): readonly Output[] => Array.from({ length: count }, () => ({ address: own, amount: SMALL }))
  async function payIn(swap: AgreedSwap, amounts: readonly bigint[], form = PLAIN): Promise<void> {
    const paid = amounts.map((amount) => ({ address: client.swapId(swap.terms), amount }))
    const outputs = [...others(form.before), ...paid, ...others(form.after)]
    const total = outputs.reduce((sum, { amount }) => sum + amount, 0n)
    await send([await coinOf(total + FEE)], outputs, form)
  }
  const partsOf = ({ amount }: HtlcTerms, count: number) =>
    Array.from({ length: count }, (_, i) => (i === 0 ? amount - (amount / BigInt(count)) * BigInt(count - 1) : amount / BigInt(count)))

  return [
    strangersWay('by a transaction of another form', {
      outcome: 'counts',
      choices: fc.record({
        version: fc.constantFrom(1, 2),
        lockTime: fc.constantFrom(0, 1, 500_000_001),
        sequence: fc.constantFrom(0, 0xfffffffd, 0xfffffffe, 0xffffffff),
        before: fc.nat(30),
        after: fc.nat(30),
      }),
      initiate: (swap, form) => payIn(swap, [swap.terms.amount], form),
    }),
    strangersWay('by a transaction of a version that not every node relays', {
      outcome: 'may',
      ...each(3, 0),
      initiate: (swap, version) => payIn(swap, [swap.terms.amount], { ...PLAIN, version }),
    }),
    strangersWay('in parts', {
      outcome: 'counts',
      choices: fc.record({ parts: fc.integer({ min: 2, max: 5 }), together: fc.boolean() }),
      async initiate(swap, { parts, together }) {
        const amounts = partsOf(swap.terms, parts)
        if (together) return payIn(swap, amounts)
        for (const amount of amounts) await payIn(swap, [amount])
      },
    }),
    strangersWay('in more parts than a redeem takes', {
      outcome: 'may',
      choices: fc.integer({ min: 6, max: 40 }),
      initiate: (swap, parts) => payIn(swap, partsOf(swap.terms, parts)),
    }),
    strangersWay('beside small and repeated payments', {
      outcome: 'counts',
      choices: fc.record({ small: fc.nat(5), repeated: fc.boolean() }),
      async initiate(swap, { small, repeated }) {
        const { amount } = swap.terms
        await payIn(swap, [...Array.from({ length: small }, () => SMALL), amount, ...(repeated ? [amount] : [])])
      },
    }),
    strangersWay('at the end of a chain of unconfirmed transactions', {
      outcome: 'counts',
      choices: fc.integer({ min: 1, max: 8 }),
      async initiate({ terms }, length) {
        let coin = await coinOf(terms.amount + FEE * BigInt(length + 1))
        for (let i = 0; i < length; i += 1) {
          const amount = coin.amount - FEE
          coin = { txid: await send([coin], [{ address: own, amount }]), index: 0, amount }
        }
        await send([coin], [{ address: client.swapId(terms), amount: terms.amount }])
      },
    }),
    strangersWay('by the reward of a block', {
      outcome: 'never',
      choices: fc.constant(null),
      async agree(terms) {
        // The next block then has no fees.
        await chain.mine(1)
        const next = Number((await client.tip()).height) + 1
        return { ...terms, amount: SUBSIDY >> BigInt(Math.floor(next / HALVING_BLOCKS)) }
      },
      initiate: async ({ terms }) => void (await chain.rpc('generatetoaddress', [1, client.swapId(terms)])),
    }),
  ]
}
