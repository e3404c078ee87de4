/**
 * What our keys may sign on Solana: messages that are, byte for byte, what we send for the purpose. So every instruction, account and flag is ours, and there
 * are no address lookup tables. A message names no cluster: only its blockhash is of one.
 */
import { type Address, bytesEqual } from '@solana/kit'
import { type PermitSigning, SigningRefused, type SigningRequest } from '@tandem/keys/permit.ts'
import type { OrderAction, Purpose } from '@tandem/keys/purpose.ts'
import type { Chain } from '@tandem/protocol/chain.ts'
import { accountOf } from '../terms/address.ts'
import { maxPriorityFee } from '../terms/fees/fees.ts'
import { type Contracts, mintOf, swapIdOf } from '../terms/htlc.ts'
import { buildTransaction, parseMessage, priorityFeeOf } from '../terms/send/transaction.ts'
import { type Form, formsOf, formsOfTransfer } from './permitted-forms.ts'
import type { SolanaOperations } from './signing.ts'

type ArgsOf<K extends keyof SolanaOperations> = SolanaOperations[K] extends (signer: never, ...args: infer Args) => unknown ? Args : never
type Request = Pick<SigningRequest, 'key' | 'purpose'>
type Message = ReturnType<typeof parseMessage>

export function createPermit(chain: Chain, contracts: Contracts): PermitSigning {
  const rules: { readonly [K in keyof SolanaOperations]: (request: Request, ...args: ArgsOf<K>) => void } = {
    transaction({ key, purpose }, bytes) {
      const account = accountOf(key)
      const message = messageOf(purpose, bytes)
      const reason = whyNot(account, formsFor(account, purpose, message), bytes, message)
      if (reason !== null) throw new SigningRefused(purpose, reason)
    },
    refundConsent({ key, purpose }, order) {
      const { verb, terms } = onlyActionOf(purpose)
      if (verb !== 'instant-refund' || order !== swapIdOf(contracts.of(terms.asset), terms) || accountOf(key) !== terms.redeemer)
        throw new SigningRefused(purpose, `it would be a consent to the refund of ${order}, which is not the purpose`)
    },
  }

  function formsFor(account: Address, purpose: Purpose, { instructions }: Message): readonly Form[] {
    if (purpose.kind === 'withdraw') return formsOfTransfer(mintOf(chain, contracts, purpose.asset), account, purpose)
    const action = onlyActionOf(purpose)
    return formsOf(contracts.of(action.terms.asset), account, action, instructions)
  }

  return ({ key, purpose, operation, args }) => {
    if (purpose.chain !== chain.id) throw new SigningRefused(purpose, `this key signs on ${chain.id} here`)
    if (!isOperation(rules, operation)) throw new SigningRefused(purpose, `there is no rule for the operation "${operation}"`)
    Reflect.apply(rules[operation], undefined, [{ key, purpose }, ...args])
  }
}

/** The runtime gives no transaction more units. */
const MAX_UNITS = 1_400_000

function whyNot(account: Address, forms: readonly Form[], bytes: Uint8Array, { instructions, budget, blockhash }: Message): string | null {
  if (budget.unitLimit > MAX_UNITS) return `it asks for ${budget.unitLimit} units, and there are ${MAX_UNITS}`
  const frame = { ...budget, feePayer: account, blockhash }
  const form = forms.find((one) => bytesEqual(Uint8Array.from(buildTransaction(one.instructions, frame).messageBytes), bytes))
  if (form === undefined) {
    const called = instructions.map(({ programAddress }) => programAddress).join(', ')
    return `its message, which calls ${called || 'nothing'}, is not the one that ${account} signs for that`
  }
  const [fee, most] = [priorityFeeOf(budget), maxPriorityFee(form.fee)]
  return fee > most ? `its priority fee would be ${fee} lamports, and may be ${most}` : null
}

function messageOf(purpose: Purpose, bytes: Uint8Array): Message {
  try {
    return parseMessage(bytes)
  } catch (error) {
    throw new SigningRefused(purpose, `it is not a message that we send: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Only orders and transfers of inventory have signatures here, and a transaction is of one order. */
function onlyActionOf(purpose: Purpose): OrderAction {
  if (purpose.kind !== 'order') throw new SigningRefused(purpose, 'no signature serves this here')
  if (purpose.actions.length > 1) throw new SigningRefused(purpose, 'a signature is for one order')
  return purpose.actions[0]
}

function isOperation<R extends object>(rules: R, name: string): name is keyof R & string {
  return Object.hasOwn(rules, name)
}
