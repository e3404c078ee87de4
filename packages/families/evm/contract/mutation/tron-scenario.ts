// Checks Tron's tokens only: their answers prove nothing, what moved decides.
import { rejects } from 'node:assert/strict'
import { encodeFunctionData, getContractAddress, type Hex, zeroAddress, zeroHash } from 'viem'
import { htlcTrc20 } from '../artifacts/htlc-trc20.ts'
import { tetherTron } from '../artifacts/tether-tron.ts'
import { createHtlcSetup, type HtlcSetup, type SetupOptions } from '../htlc.fixture.ts'
import { type HtlcOrder, htlcCall } from '../htlc-order.fixture.ts'
import { playDeposits } from './deposit-scenario.ts'
import { moves, refused } from './expectations.ts'
import { playGas } from './gas-scenario.ts'
import { playOrders } from './order-scenario.ts'
import type { Part } from './parts.ts'

const HONEST = 0n
const MOVES_NOTHING = [1n, 2n] as const
const KEEPS_A_FEE = 3n
const TAKES_AND_SAYS_NO = 4n
const WOULD_SUCCEED = 'HTLC__PayoutWouldSucceed'
const FAILED = 'HTLC__TransferFailed'

export function tronScenario(options: SetupOptions): readonly Part[] {
  const setupOf = () => createHtlcSetup('TRC-20', undefined, options)
  return [
    {
      files: [],
      async play() {
        const setup = await setupOf()
        await playOrders(setup)
        await playAnswers(setup)
        await playTrial(setup)
      },
    },
    { files: ['GasWithPayout.sol'], play: async () => playGas(await setupOf()) },
    {
      files: ['BriefAccounts.sol', 'DepositAccount.sol', 'Deposits.sol', 'tron/StoredDeposits.sol'],
      async play() {
        await playAddressRule(options)
        await playDeposits('TRC-20', options)
      },
    },
  ]
}

/** The contract that the HTLC creates to find the rule out is there already, so the answer of CREATE2 follows none. */
async function playAddressRule({ fixture, htlcBytecode }: SetupOptions): Promise<void> {
  const nonce = BigInt(String(await fixture.request({ method: 'eth_getTransactionCount', params: [fixture.deployer.address, 'latest'] })))
  const from = getContractAddress({ from: fixture.deployer.address, nonce })
  const probe = getContractAddress({ opcode: 'CREATE2', from, salt: zeroHash, bytecode: '0x' })
  await fixture.request({ method: 'hardhat_setCode', params: [probe, '0x00'] })
  await rejects(fixture.deploy({ ...htlcTrc20, bytecode: htlcBytecode }, [zeroAddress]), /HTLC__UnknownAddressRule/)
}

const onToken = (setup: HtlcSetup, data: Hex) => setup.fixture.send({ from: setup.stranger, to: setup.token, data })
const setMode = (setup: HtlcSetup, mode: bigint) =>
  onToken(setup, encodeFunctionData({ abi: tetherTron.abi, functionName: 'setMode', args: [mode] }))
const refuse = (setup: HtlcSetup, { redeemer }: HtlcOrder, refused: boolean) =>
  onToken(setup, encodeFunctionData({ abi: tetherTron.abi, functionName: 'setRefused', args: [redeemer, refused] }))

async function playAnswers(setup: HtlcSetup): Promise<void> {
  const { initiator, redeemer, stranger } = setup
  const order = await setup.open()
  for (const mode of [...MOVES_NOTHING, KEEPS_A_FEE]) {
    await setMode(setup, mode)
    await refused(setup, initiator, htlcCall.initiate(setup.newOrder()), 'HTLC__AmountNotReceived')
  }
  for (const mode of MOVES_NOTHING) {
    await setMode(setup, mode)
    await refused(setup, stranger, htlcCall.redeem(order), FAILED)
  }
  await setMode(setup, TAKES_AND_SAYS_NO)
  const taken = setup.newOrder()
  await moves(setup, { from: initiator, data: htlcCall.initiate(taken), payee: initiator.address, amount: -taken.amount })
  await setMode(setup, HONEST)
  await refuse(setup, order, true)
  await refused(setup, stranger, htlcCall.redeem(order), FAILED)
  await refuse(setup, order, false)
  await moves(setup, { from: stranger, data: htlcCall.redeem(order), payee: redeemer.address, amount: order.amount })
}

async function playTrial(setup: HtlcSetup): Promise<void> {
  const order = await setup.open()
  const trial = (amount: bigint) => encodeFunctionData({ abi: htlcTrc20.abi, functionName: 'tryPayout', args: [order.redeemer, amount] })
  await refused(setup, setup.stranger, trial(order.amount), WOULD_SUCCEED)
  await refuse(setup, order, true)
  await refused(setup, setup.stranger, trial(order.amount), FAILED)
  await refuse(setup, order, false)
}
