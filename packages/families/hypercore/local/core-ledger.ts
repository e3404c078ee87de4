// The balances are in the storage of simulator contracts, at the addresses where HyperEVM reads HyperCore: contracts can read them, and a
// reorg reverts them with the rest of the state.

import { coreUserExistsStandIn } from '@tandem/evm/contract/artifacts/core-user-exists-stand-in.ts'
import { coreWriterStandIn } from '@tandem/evm/contract/artifacts/core-writer-stand-in.ts'
import { hypeBridgeStandIn } from '@tandem/evm/contract/artifacts/hype-bridge-stand-in.ts'
import { spotBalanceStandIn } from '@tandem/evm/contract/artifacts/spot-balance-stand-in.ts'
import { tokenInfoStandIn } from '@tandem/evm/contract/artifacts/token-info-stand-in.ts'
import type { EdrProvider } from '@tandem/evm/local/edr-provider.ts'
import { type Abi, type Address, concatHex, type Hex, keccak256, numberToHex, pad } from 'viem'
import { CORE_USER_EXISTS, CORE_WRITER, HYPE_BRIDGE, SPOT_BALANCE, spotBalanceInput, TOKEN_INFO } from './hyperliquid.ts'

export interface CoreLedger {
  install(): Promise<void>
  balance(user: Address, token: bigint): Promise<bigint>
  setBalance(user: Address, token: bigint, amount: bigint): Promise<void>
  free(user: Address, token: bigint): Promise<bigint>
  hold(user: Address, token: bigint, amount: bigint): Promise<void>
  exists(user: Address): Promise<boolean>
  activate(user: Address): Promise<void>
  /** `link` is the token's ERC-20 on HyperEVM, or null. */
  describeToken(token: bigint, weiDecimals: number, link: TokenLink | null): Promise<void>
}

export type TokenLink = { readonly erc20: Address; readonly extraDecimals: number }

export function createCoreLedger(edr: EdrProvider): CoreLedger {
  const read = async (at: Address, slot: Hex) =>
    BigInt((await edr.request({ method: 'eth_getStorageAt', params: [at, slot, 'latest'] })) as Hex)
  const write = (at: Address, slot: Hex, value: bigint) =>
    edr.request({ method: 'hardhat_setStorageAt', params: [at, slot, numberToHex(value, { size: 32 })] })
  const balanceSlot = (user: Address, token: bigint) => keccak256(spotBalanceInput(user, token))
  const heldSlot = (slot: Hex) => numberToHex(BigInt(slot) + 1n, { size: 32 })
  const userSlot = (user: Address) => pad(user, { size: 32 })
  const tokenSlot = (token: bigint, field: bigint) => keccak256(concatHex([token, field].map((word) => numberToHex(word, { size: 32 }))))

  async function place(at: Address, artifact: { readonly abi: Abi; readonly bytecode: Hex }): Promise<void> {
    // Init code returns the runtime code.
    const code = await edr.request({ method: 'eth_call', params: [{ data: artifact.bytecode }] })
    await edr.request({ method: 'hardhat_setCode', params: [at, code] })
  }

  return {
    async install() {
      await place(CORE_WRITER, coreWriterStandIn)
      await place(HYPE_BRIDGE, hypeBridgeStandIn)
      await place(SPOT_BALANCE, spotBalanceStandIn)
      await place(CORE_USER_EXISTS, coreUserExistsStandIn)
      await place(TOKEN_INFO, tokenInfoStandIn)
    },
    balance: (user, token) => read(SPOT_BALANCE, balanceSlot(user, token)),
    async setBalance(user, token, amount) {
      await write(SPOT_BALANCE, balanceSlot(user, token), amount)
    },
    async free(user, token) {
      const slot = balanceSlot(user, token)
      return (await read(SPOT_BALANCE, slot)) - (await read(SPOT_BALANCE, heldSlot(slot)))
    },
    async hold(user, token, amount) {
      await write(SPOT_BALANCE, heldSlot(balanceSlot(user, token)), amount)
    },
    exists: async (user) => (await read(CORE_USER_EXISTS, userSlot(user))) === 1n,
    async activate(user) {
      await write(CORE_USER_EXISTS, userSlot(user), 1n)
    },
    async describeToken(token, weiDecimals, link) {
      await write(TOKEN_INFO, tokenSlot(token, 0n), BigInt(link?.erc20 ?? 0))
      await write(TOKEN_INFO, tokenSlot(token, 1n), BigInt(weiDecimals + 1))
      await write(TOKEN_INFO, tokenSlot(token, 2n), BigInt.asUintN(256, BigInt(link?.extraDecimals ?? 0)))
    },
  }
}
