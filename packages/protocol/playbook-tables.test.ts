/** The tables have the wanted actions for each pair of phases, from chain events through the derived state to the playbook. */
import { describe, expect, it } from 'vitest'
import { type ExampleOrder, factsOf, normalTimes } from './example-order.fixture.ts'
import { playbook } from './playbook.ts'
import { deriveOrder } from './state.ts'
import { type Phase, phases } from './swap-state.ts'

function wantedIn(example: ExampleOrder): readonly string[] {
  const state = deriveOrder(factsOf(example))
  expect([state.source.phase, state.destination.phase]).toEqual([example.source, example.destination])
  return playbook.filter((rule) => rule.holds(state)).map((rule) => `${rule.who} ${rule.verb} ${rule.leg}`)
}

describe('the playbook', () => {
  /**
   * g  the service relays the user's grant        i  the solver initiates the destination
   * D  the service redeems the destination        S  the solver redeems the source
   * r  the solver refunds the destination         u  the service refunds the source to the user
   * b  the service returns the prefund to the user
   *
   * In these tables only a redeem makes the secret public, and "seen" has one of two confirmations.
   */
  const letters: Readonly<Record<string, string>> = {
    'service initiate source': 'g',
    'solver initiate destination': 'i',
    'service redeem destination': 'D',
    'solver redeem source': 'S',
    'solver refund destination': 'r',
    'service refund source': 'u',
    'service reclaim source': 'b',
  }

  const tableOf = (exampleOf: (source: Phase, destination: Phase) => ExampleOrder) => {
    const cell = (text: string) => text.padEnd(11)
    const line = (cells: readonly string[]) => cells.map(cell).join('').trimEnd()
    const rows = phases.map((source) => {
      const cells = phases.map((destination) => {
        const wanted = wantedIn(exampleOf(source, destination))
        return (
          Object.entries(letters)
            .map(([action, letter]) => (wanted.includes(action) ? letter : ''))
            .join('') || '.'
        )
      })
      return line([source, ...cells])
    })
    return `\n${[line(['src \\ dst', ...phases]), ...rows].join('\n')}\n`
  }

  it('while all timelocks run', () => {
    expect(tableOf(normalTimes)).toBe(`
src \\ dst  waiting    mismatched seen       initiated  redeeming  redeemed   refunding  refunded
waiting    g          g          g          g          gD         g          g          g
mismatched .          .          .          .          D          .          .          .
seen       .          .          .          .          DS         S          .          .
initiated  i          i          .          D          DS         S          .          .
redeeming  S          S          DS         DS         DS         S          DS         .
redeemed   .          .          D          D          D          .          D          .
refunding  .          .          .          .          DS         S          .          .
refunded   .          .          .          .          D          .          .          .
`)
  })

  it('with a prefund: it is returned once the source is mined', () => {
    expect(tableOf((source, destination) => ({ ...normalTimes(source, destination), prefunded: true }))).toBe(`
src \\ dst  waiting    mismatched seen       initiated  redeeming  redeemed   refunding  refunded
waiting    g          g          g          g          gD         g          g          g
mismatched b          b          b          b          Db         b          b          b
seen       b          b          b          b          DSb        Sb         b          b
initiated  ib         ib         b          Db         DSb        Sb         b          b
redeeming  Sb         Sb         DSb        DSb        DSb        Sb         DSb        b
redeemed   b          b          Db         Db         Db         b          Db         b
refunding  b          b          b          b          DSb        Sb         b          b
refunded   b          b          b          b          Db         b          b          b
`)
  })

  it('with a prefund and no source: it is returned after the deadline', () => {
    const late = { ...normalTimes('waiting', 'waiting'), deadlinePassed: true }
    expect(wantedIn({ ...late, prefunded: true })).toEqual(['service reclaim source'])
    expect(wantedIn(late)).toEqual([])
  })

  it('after the destination timelock, before that of the source', () => {
    expect(tableOf((source, destination) => ({ ...normalTimes(source, destination), destinationExpired: true }))).toBe(`
src \\ dst  waiting    mismatched seen       initiated  redeeming  redeemed   refunding  refunded
waiting    g          gr         g          gr         gDr        g          gr         g
mismatched .          r          .          r          Dr         .          r          .
seen       .          r          .          r          DS         S          r          .
initiated  i          ir         .          r          DS         S          r          .
redeeming  S          Sr         DS         DS         DS         S          DS         .
redeemed   .          r          D          D          D          .          D          .
refunding  .          r          .          r          DS         S          r          .
refunded   .          r          .          r          Dr         .          r          .
`)
  })

  it('after both timelocks', () => {
    const late = { sourceExpired: true, destinationExpired: true, deadlinePassed: true }
    expect(tableOf((source, destination) => ({ ...normalTimes(source, destination), ...late }))).toBe(`
src \\ dst  waiting    mismatched seen       initiated  redeeming  redeemed   refunding  refunded
waiting    .          r          .          r          Dr         .          r          .
mismatched u          ru         u          ru         Dru        u          ru         u
seen       .          r          .          r          DS         S          r          .
initiated  u          ru         u          ru         DS         S          ru         u
redeeming  Su         Sru        DS         DS         DS         S          DS         u
redeemed   .          r          D          D          D          .          D          .
refunding  u          ru         u          ru         DS         S          ru         u
refunded   .          r          .          r          Dr         .          r          .
`)
  })

  it('with a source that was mined after the deadline: the solver never initiates', () => {
    const late = { fundedLate: true, deadlinePassed: true }
    expect(tableOf((source, destination) => ({ ...normalTimes(source, destination), ...late }))).toBe(`
src \\ dst  waiting    mismatched seen       initiated  redeeming  redeemed   refunding  refunded
waiting    .          .          .          .          D          .          .          .
mismatched .          .          .          .          D          .          .          .
seen       .          .          .          .          DS         S          .          .
initiated  .          .          .          .          DS         S          .          .
redeeming  S          S          DS         DS         DS         S          DS         .
redeemed   .          .          D          D          D          .          D          .
refunding  .          .          .          .          DS         S          .          .
refunded   .          .          .          .          D          .          .          .
`)
  })

  it('while the client keeps the secret: the destination is redeemed only once it is public', () => {
    expect(tableOf((source, destination) => ({ ...normalTimes(source, destination), clientSecret: true }))).toBe(`
src \\ dst  waiting    mismatched seen       initiated  redeeming  redeemed   refunding  refunded
waiting    g          g          g          g          gD         g          g          g
mismatched .          .          .          .          D          .          .          .
seen       .          .          .          .          DS         S          .          .
initiated  i          i          .          .          DS         S          .          .
redeeming  S          S          DS         DS         DS         S          DS         .
redeemed   .          .          D          D          D          .          D          .
refunding  .          .          .          .          DS         S          .          .
refunded   .          .          .          .          D          .          .          .
`)
  })

  it('once the client gave the secret: as if the service had made it', () => {
    const given = { clientSecret: true, secretGranted: true }
    expect(tableOf((source, destination) => ({ ...normalTimes(source, destination), ...given }))).toBe(tableOf(normalTimes))
  })

  it('once the solver signed an instant refund: it never pays, and the user is refunded unless the secret is out', () => {
    expect(tableOf((source, destination) => ({ ...normalTimes(source, destination), instantRefundSigned: true }))).toBe(`
src \\ dst  waiting    mismatched seen       initiated  redeeming  redeemed   refunding  refunded
waiting    g          g          g          g          gD         g          g          g
mismatched u          u          .          .          D          .          .          u
seen       u          u          .          .          DS         S          .          u
initiated  u          u          .          D          DS         S          .          u
redeeming  S          S          DS         DS         DS         S          DS         .
redeemed   .          .          D          D          D          .          D          .
refunding  u          u          .          .          DS         S          .          u
refunded   .          .          .          .          D          .          .          .
`)
  })
})
