// Measures initiations by one signature, and what of their gas the HTLC itself takes.

import { testToken } from '@tandem/evm/contract/artifacts/test-token.ts'
import type { ContractFixture } from '@tandem/evm/contract/contract.fixture.ts'
import { type HtlcOrder, htlcCall, initiateTypedData } from '@tandem/evm/contract/htlc-order.fixture.ts'
import {
  authorizationTypedData,
  createSigningSetup,
  later,
  PERMIT2,
  permit2TypedData,
  permitTypedData,
  type SigningSetup,
} from '@tandem/evm/contract/one-signature.fixture.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { median } from './bench.ts'

export interface OneSignatureGas {
  readonly operation: string
  readonly gas: number
  /** This part is not spent by calls of the token and of Permit2. A refund for emptied slots is not subtracted. */
  readonly ownGas: number
}

const runs = 5
/** This share of the whole signed initiation may be added to what the HTLC takes of it. */
const ONE_SIGNATURE_SHARE = 0.05
export const SIGNED = 'ERC-20 initiate with signature, the token has permits'

/** The same token and the same parties for all. The signed initiation, which needs an allowance, is the first. */
export async function measureOneSignature(fixture: ContractFixture): Promise<readonly OneSignatureGas[]> {
  const setup = await createSigningSetup(undefined, { fixture })
  const { initiator, redeemer, domain, tokenDomain, token } = setup
  for (const holder of [initiator.address, redeemer.address, setup.htlc]) {
    const data = encodeFunctionData({ abi: testToken.abi, functionName: 'mint', args: [holder, 10n ** 18n] })
    await fixture.send({ from: fixture.deployer, to: token, data })
  }
  const signInitiate = (order: HtlcOrder) => initiator.signTypedData(initiateTypedData(domain, order))
  const ways: readonly (readonly [operation: string, prepare: () => Promise<unknown>, call: (order: HtlcOrder) => Promise<Hex>])[] = [
    [SIGNED, () => setup.approve(setup.htlc), async (order) => htlcCall.initiateWithSignature(order, await signInitiate(order))],
    [
      'ERC-20 initiate with authorization',
      () => setup.approve(setup.htlc, 0n),
      async (order) =>
        htlcCall.initiateByAuthorization(order, later, await initiator.signTypedData(authorizationTypedData(tokenDomain, domain, order))),
    ],
    [
      'ERC-20 initiate with permit',
      async () => undefined,
      async (order) => {
        const permit = permitTypedData(tokenDomain, domain, order, await setup.permitNonce())
        return htlcCall.initiateByPermit(order, await signInitiate(order), {
          deadline: later,
          signature: await initiator.signTypedData(permit),
        })
      },
    ],
    [
      'ERC-20 initiate with Permit2',
      () => setup.approve(PERMIT2),
      async (order) =>
        htlcCall.initiateBySignatureTransfer(order, later, await initiator.signTypedData(permit2TypedData(token, domain, order))),
    ],
  ]
  const rows: OneSignatureGas[] = []
  for (const [operation, prepare, call] of ways) {
    await prepare()
    const samples: { gas: number; ownGas: number }[] = []
    while (samples.length <= runs) samples.push(await measure(setup, await call(setup.newOrder())))
    // The first one of a kind writes slots for the first time.
    const counted = samples.slice(1)
    rows.push({ operation, gas: median(counted.map(({ gas }) => gas)), ownGas: median(counted.map(({ ownGas }) => ownGas)) })
  }
  return rows
}

/** The HTLC itself may take no more than it takes of a signed initiation, and a twentieth of the whole of that. */
export function isOneSignatureCheapEnough(rows: readonly OneSignatureGas[]): boolean {
  const signed = rows.find(({ operation }) => operation === SIGNED)
  if (signed === undefined) throw new Error('the signed initiation was not measured')
  return rows.every(({ ownGas }) => ownGas <= signed.ownGas + signed.gas * ONE_SIGNATURE_SHARE)
}

interface Step {
  readonly depth: number
  readonly gas: number
  readonly gasCost: number
}

async function measure(setup: SigningSetup, data: Hex): Promise<{ gas: number; ownGas: number }> {
  const { gasUsed, transactionHash } = await setup.send(setup.stranger, data)
  const options = { disableStorage: true, disableMemory: true, disableStack: true }
  const trace = await setup.fixture.request({ method: 'debug_traceTransaction', params: [transactionHash, options] })
  const { structLogs } = trace as { structLogs: readonly Step[] }
  const transaction = await setup.fixture.request({ method: 'eth_getTransactionByHash', params: [transactionHash] })
  const limit = Number((transaction as { gas: Hex }).gas)
  const last = structLogs.at(-1)
  if (last === undefined) throw new Error('the trace is empty')
  const spent = limit - last.gas + last.gasCost
  return { gas: Number(gasUsed), ownGas: spent - gasOfCalls(structLogs) }
}

/** A call spends what the first of its steps has and the last has not. */
function gasOfCalls(steps: readonly Step[]): number {
  let sum = 0
  for (const [index, step] of steps.entries()) {
    if (step.depth < 2) continue
    if (steps[index - 1]?.depth === 1) sum += step.gas
    if (steps[index + 1]?.depth === 1) sum -= step.gas - step.gasCost
  }
  return sum
}
