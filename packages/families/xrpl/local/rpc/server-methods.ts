// Answers the methods about the state of the node and its fees.
import { dropsToXrp } from 'xrpl'
import { isoTime } from '../ledger/close-time.ts'
import type { Fields } from '../ledger/metadata.ts'
import type { Context, Methods } from './context.ts'

/** The simulated rules are those of this version. */
const BUILD_VERSION = '2.6.1'
const REFERENCE_LEVEL = 256n

export function serverMethods({ node, kept }: Context): Methods {
  const { history } = node

  function common(): Fields {
    return {
      build_version: BUILD_VERSION,
      complete_ledgers: kept.text(),
      io_latency_ms: 1,
      network_id: node.networkId,
      peers: 0,
      pubkey_node: 'n9KSDbmQgGZNDxvVvEbKvDGCqVaXVh9mqMFRcFuBSm4zEi3Jh8Za',
      server_state: 'full',
      time: isoTime(node.now()),
      uptime: 1,
      validation_quorum: 1,
    }
  }

  const fees = () => node.open().rules.fees

  return {
    ping: () => ({}),
    server_info() {
      const { base, reserveBase, reserveIncrement } = fees()
      const { hash, index, closeTime } = history.tip()
      return {
        info: {
          ...common(),
          last_close: { converge_time_s: 0.1, proposers: 0 },
          load_factor: Number(node.openLedgerFee() / base),
          validated_ledger: {
            age: Math.max(0, node.now() - closeTime),
            base_fee_xrp: dropsToXrp(String(base)),
            hash,
            reserve_base_xrp: dropsToXrp(String(reserveBase)),
            reserve_inc_xrp: dropsToXrp(String(reserveIncrement)),
            seq: index,
          },
        },
      }
    },
    server_state() {
      const { base, reserveBase, reserveIncrement } = fees()
      const { hash, index, closeTime } = history.tip()
      return {
        state: {
          ...common(),
          last_close: { converge_time: 100, proposers: 0 },
          load_base: Number(REFERENCE_LEVEL),
          load_factor: Number((node.openLedgerFee() * REFERENCE_LEVEL) / base),
          validated_ledger: {
            base_fee: Number(base),
            close_time: closeTime,
            hash,
            reserve_base: Number(reserveBase),
            reserve_inc: Number(reserveIncrement),
            seq: index,
          },
        },
      }
    },
    fee() {
      const { base } = fees()
      const open = node.openLedgerFee()
      const level = (drops: bigint) => String((drops * REFERENCE_LEVEL) / base)
      return {
        current_ledger_size: String(node.open().transactions.length),
        current_queue_size: String(node.queue.all().length),
        drops: { base_fee: String(base), median_fee: String(base * 500n), minimum_fee: String(base), open_ledger_fee: String(open) },
        expected_ledger_size: '1000',
        ledger_current_index: node.open().rules.ledgerIndex,
        levels: {
          median_level: level(base * 500n),
          minimum_level: String(REFERENCE_LEVEL),
          open_ledger_level: level(open),
          reference_level: String(REFERENCE_LEVEL),
        },
        max_queue_size: '20000',
      }
    },
    /** Nodes in stand-alone mode close a ledger so. `pass_seconds` is ours: it moves the clock first. */
    ledger_accept({ pass_seconds: seconds }) {
      if (typeof seconds === 'number') node.passTime(seconds)
      else node.mine()
      return { ledger_current_index: node.open().rules.ledgerIndex }
    },
  }
}
