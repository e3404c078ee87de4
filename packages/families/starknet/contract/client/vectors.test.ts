// These tests show that the client gives the results of the vectors; `cairo.test.ts` shows it of the contract.
import { expect, it } from 'vitest'
import { deploymentOf, termsOf, vectors } from '../testing/vectors.ts'
import { initiateCall, initiateOnBehalfCall, initiateWithSignatureCall, instantRefundCall, redeemCall, refundCall } from './calls.ts'
import { decodeEvent, encodeEvent } from './events.ts'
import { felt } from './felt.ts'
import { orderId } from './order.ts'
import { domainName, initiateDigest, refundDigest } from './typed-data.ts'

it.each(vectors)('an order on $chainId', (vector) => {
  const { secret, signature, calls, events } = vector
  const deployment = deploymentOf(vector)
  const terms = termsOf(vector)
  const id = orderId(deployment, terms)
  expect(id).toBe(vector.orderId)
  expect(domainName(deployment)).toBe(vector.domainName)
  expect(initiateDigest(deployment, terms)).toBe(vector.initiateDigest)
  expect(refundDigest(deployment, terms)).toBe(vector.refundDigest)
  const to = deployment.address
  const felts = signature.felts.map((value) => felt(BigInt(value)))
  expect(initiateCall(to, terms)).toEqual({ to, ...calls.initiate })
  expect(initiateOnBehalfCall(to, terms)).toEqual({ to, ...calls.initiateOnBehalf })
  expect(initiateWithSignatureCall(to, terms, felts)).toEqual({ to, ...calls.initiateWithSignature })
  expect(redeemCall(to, terms, secret)).toEqual({ to, ...calls.redeem })
  expect(refundCall(to, terms)).toEqual({ to, ...calls.refund })
  expect(instantRefundCall(to, terms, [])).toEqual({ to, ...calls.instantRefund })

  for (const [event, written] of [
    [{ kind: 'initiated', orderId: id, terms }, events.initiated],
    [{ kind: 'redeemed', orderId: id, secret }, events.redeemed],
    [{ kind: 'refunded', orderId: id }, events.refunded],
  ] as const) {
    expect(encodeEvent(event)).toEqual(written)
    expect(decodeEvent(written.keys, written.data)).toEqual(event)
  }
})
