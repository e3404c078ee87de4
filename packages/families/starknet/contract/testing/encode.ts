// Encodes scenarios as the lists of felts that cairo/player.cairo plays.
import {
  type Call,
  initiateCall,
  initiatedAtCall,
  initiateOnBehalfCall,
  initiateWithSignatureCall,
  instantRefundCall,
  redeemCall,
  refundCall,
} from '../client/calls.ts'
import { encodeEvent, type OrderEvent } from '../client/events.ts'
import { type Felt, felt, selectorOf, shortString } from '../client/felt.ts'
import { type OrderTerms, u256Felts } from '../client/order.ts'
import {
  type CallStep,
  type HtlcCall,
  type Party,
  partyAddresses,
  type Scenario,
  type ScenarioOrder,
  type Signature,
  type Step,
  scenarioChainId,
} from './scenario.ts'

/** `player.cairo` replaces these names by the addresses at which the VM deploys the contracts. */
const names = { ...partyAddresses, htlc: shortString('@htlc'), token: shortString('@token'), account: shortString('@account') }
const orderName = shortString('@id')
const digestName = shortString('@digest')

export function encodeScenario({ steps }: Scenario): readonly Felt[] {
  return steps.flatMap(encodeStep)
}

function encodeStep(step: Step): readonly Felt[] {
  switch (step.kind) {
    case 'call': {
      const outcome = step.error === undefined ? [...orderFelts(step.order), ...eventFelts(step), shortString('QUIET')] : []
      return [...encodeBareCall(step, 'CALL'), ...outcome]
    }
    case 'fund':
      return tokenStep('fund', step.party, [names.htlc, ...u256Felts(step.amount)])
    case 'mint':
      return tokenStep('mint', 'zero', [names[step.to], ...u256Felts(step.amount)])
    case 'approve':
      return tokenStep('approve', step.from, [names.htlc, ...u256Felts(step.amount)])
    case 'fault':
      return tokenStep('set_fault', 'zero', [step.fault === 'none' ? '0x0' : shortString(step.fault)])
    case 'hook': {
      const { to, selector, calldata } = encodeCall(step.call)
      return tokenStep('set_hook', 'zero', [to, selector, ...list(calldata)])
    }
    case 'chain':
      return [shortString('CHAIN'), shortString(step.chainId)]
    case 'state':
      return [
        ...orderFelts(step.order),
        shortString('ANSWER'),
        ...callFelts(initiatedAtCall(names.htlc, orderName)),
        ...list([felt(step.initiatedAt)]),
      ]
    case 'balances':
      return encodeBalances(step.balances)
  }
}

/** The call is not compared with its event. SKIP means that it is read and not made. */
export function encodeBareCall(step: CallStep, kind: 'CALL' | 'SKIP'): readonly Felt[] {
  const { at, from, error, signature } = step
  return [...digestFelts(signature), shortString(kind), felt(at), names[from], ...callFelts(encodeCall(step)), errorFelt(error)]
}

/** All balances are one call: each call starts a new machine, which takes most of the time of a scenario. */
function encodeBalances(balances: Partial<Readonly<Record<Party, bigint>>>): readonly Felt[] {
  const parties = Object.keys(balances) as Party[]
  const call = { to: names.token, selector: selectorOf('balances_of'), calldata: list(parties.map((party) => names[party])) }
  const answer = [felt(BigInt(parties.length)), ...Object.values(balances).flatMap(u256Felts)]
  return [shortString('ANSWER'), ...callFelts(call), ...list(answer)]
}

function tokenStep(name: string, from: Party, calldata: readonly Felt[]): readonly Felt[] {
  return [shortString('CALL'), '0x1', names[from], ...callFelts({ to: names.token, selector: selectorOf(name), calldata }), '0x0']
}

const errorFelt = (error: string | undefined): Felt => (error === undefined ? '0x0' : shortString(error))
const list = (felts: readonly Felt[]): readonly Felt[] => [felt(BigInt(felts.length)), ...felts]
const callFelts = ({ to, selector, calldata }: Call): readonly Felt[] => [to, selector, ...list(calldata)]
const named = ({ initiator, redeemer, ...terms }: ScenarioOrder): OrderTerms => ({
  ...terms,
  initiator: names[initiator],
  redeemer: names[redeemer],
})

function encodeCall({ entry, order, secret = '', signature = { kind: 'none' } }: HtlcCall): Call {
  const terms = named(order)
  switch (entry) {
    case 'initiate':
      return initiateCall(names.htlc, terms)
    case 'initiate_on_behalf':
      return initiateOnBehalfCall(names.htlc, terms)
    case 'initiate_with_signature':
      return initiateWithSignatureCall(names.htlc, terms, signatureFelts(signature))
    case 'redeem':
      return redeemCall(names.htlc, terms, secret)
    case 'refund':
      return refundCall(names.htlc, terms)
    case 'instant_refund':
      return instantRefundCall(names.htlc, terms, signatureFelts(signature))
  }
}

function signatureFelts(signature: Signature): readonly Felt[] {
  switch (signature.kind) {
    case 'none':
      return []
    case 'answers':
      return [shortString('answer'), felt(signature.answer)]
    case 'signs':
      return [shortString('digest'), digestName]
    case 'panics':
      return [shortString('panic')]
    case 'calls': {
      const { to, selector, calldata } = encodeCall(signature.call)
      return [shortString('call'), to, selector, ...calldata]
    }
  }
}

/** The account of the next call signs this digest. */
function digestFelts(signature: Signature | undefined): readonly Felt[] {
  if (signature?.kind !== 'signs') return []
  const { what, chainId = scenarioChainId, order } = signature
  return [shortString('DIGEST'), shortString(what), shortString(chainId), ...termFelts(order)]
}

/** `order_id` takes these thirteen felts, and a refund takes them too. */
function termFelts(order: ScenarioOrder): readonly Felt[] {
  return refundCall(names.htlc, named(order)).calldata
}

function orderFelts(order: ScenarioOrder): readonly Felt[] {
  return [shortString('ORDER'), ...termFelts(order)]
}

function eventFelts({ entry, order, secret = '' }: HtlcCall): readonly Felt[] {
  const { keys, data } = encodeEvent(eventOf(entry, order, secret))
  return [shortString('EVENT'), ...list(keys), ...list(data)]
}

function eventOf(entry: HtlcCall['entry'], order: ScenarioOrder, secret: string): OrderEvent {
  if (entry === 'redeem') return { kind: 'redeemed', orderId: orderName, secret }
  if (entry === 'refund' || entry === 'instant_refund') return { kind: 'refunded', orderId: orderName }
  return { kind: 'initiated', orderId: orderName, terms: named(order) }
}
