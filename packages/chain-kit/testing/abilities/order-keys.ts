/** A family where the user's party is a key, made for the order or supplied by the user. */
import { describe, expect, it } from 'vitest'
import { type ConformanceRun, required } from '../run.fixture.ts'

export function orderKeysSuite(run: ConformanceRun): void {
  describe('order keys', () => {
    const ability = () => required(run.fixture.client.orderKeys, 'orderKeys')

    it("parses the user's public key as a party of an HTLC, and returns null for other texts", () => {
      const key = ability().parseUserKey(run.user.identity)
      expect(key?.identity).toBe(run.user.identity)
      expect(run.fixture.client.text.parseAddress(key?.address ?? '')).toBe(key?.address)
      for (const text of ['', 'nonsense', run.user.address, run.user.identity.slice(2)]) expect(ability().parseUserKey(text)).toBeNull()
    })

    it('accepts a proof only for its address and its message', () => {
      const { proveAddress } = required(run.fixture.orderKeys, 'orderKeys in the fixture')
      const proof = proveAddress(run.user.address, 'a message')
      const { verifyMessage } = ability()
      expect(() => verifyMessage(run.user.address, 'a message', proof)).not.toThrow()
      const refused = expect.objectContaining({ code: 'invalid_signature' })
      expect(() => verifyMessage(run.user.address, 'another message', proof)).toThrow(refused)
      expect(() => verifyMessage(run.solver.address, 'a message', proof)).toThrow(refused)
      for (const nonsense of ['', 'nonsense']) expect(() => verifyMessage(run.user.address, 'a message', nonsense)).toThrow(refused)
    })

    it('creates a refund package that names its family and chain, and survives JSON', async () => {
      const { privateKey } = required(run.fixture.orderKeys, 'orderKeys in the fixture')
      const { terms } = await run.propose(run.user, run.solver)
      const refundPackage = ability().refundPackage(terms, privateKey, run.user.address)
      expect(refundPackage).toMatchObject({ family: run.family.name, chain: run.fixture.client.chain.id })
      expect(JSON.parse(JSON.stringify(refundPackage))).toEqual(refundPackage)
      expect(JSON.stringify(ability().refundPackage(terms, null, null))).not.toContain(privateKey)
    })
  })
}
