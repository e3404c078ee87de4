// Tests the simulator's encodings against what Hyperliquid and those who read its chain publish, and production's against the simulator's.
import { toEventSelector, toFunctionSelector } from 'viem'
import { expect, it } from 'vitest'
import * as production from '../terms/core.ts'
import {
  CORE_USER_EXISTS,
  CORE_WRITER,
  coreWriterAbi,
  HYPE_BRIDGE,
  readSpotSend,
  readSpotSendCall,
  SPOT_BALANCE,
  spotBalanceInput,
  spotSendCall,
  systemAddressOf,
  TOKEN_INFO,
  WEI_PER_HYPE_UNIT,
} from './hyperliquid.ts'

const user = '0x46bbfef00cde256f834340c50286dd7b495ca418'
const send = { to: user, token: 299n, amount: 56_697_105_031n } as const
const word = (digits: string) => digits.padStart(64, '0')
const action = `01000006${word(user.slice(2))}${word('12b')}${word('d33692a87')}`

it('has the published addresses, selectors and layouts', () => {
  expect(CORE_WRITER).toBe('0x3333333333333333333333333333333333333333')
  expect(HYPE_BRIDGE).toBe('0x2222222222222222222222222222222222222222')
  expect(SPOT_BALANCE).toBe('0x0000000000000000000000000000000000000801')
  expect(TOKEN_INFO).toBe('0x000000000000000000000000000000000000080c')
  expect(CORE_USER_EXISTS).toBe('0x0000000000000000000000000000000000000810')
  // 200 is the example of the documentation, and the other account sends token 299 on the main network.
  expect(systemAddressOf(200n)).toBe('0x20000000000000000000000000000000000000c8')
  expect(systemAddressOf(299n)).toBe('0x200000000000000000000000000000000000012b')
  // Both are in the code of the writer on the main network.
  expect(toFunctionSelector(coreWriterAbi[1])).toBe('0x17938e13')
  expect(toEventSelector(coreWriterAbi[0])).toBe('0x8c7f585fb295f7eb1e6aeb8fba61b23a4fe60beda405f0045073b185c74412e3')
  expect(spotSendCall(send)).toEqual({ to: CORE_WRITER, data: `0x17938e13${word('20')}${word('64')}${action}${'00'.repeat(28)}` })
  expect(spotBalanceInput(user, 299n)).toBe(`0x${word(user.slice(2))}${word('12b')}`)
})

it('reads a spot send, and no other action', () => {
  expect(readSpotSend(`0x${action}`)).toEqual(send)
  expect(readSpotSendCall(spotSendCall(send).data)).toEqual(send)
  for (const other of [action.replace('01000006', '01000007'), action.replace('01000006', '02000006'), `${action}00`, action.slice(0, -2)])
    expect(readSpotSend(`0x${other}`)).toBeNull()
})

it('production encodes the same', () => {
  expect(production.spotSendData(send)).toBe(spotSendCall(send).data)
  expect(production.parseSpotSend(`0x${action}`)).toEqual(send)
  expect(production.spotBalanceInput(user, 299n)).toBe(spotBalanceInput(user, 299n))
  expect(production.systemAddressOf(299n)).toBe(systemAddressOf(299n))
  expect(production).toMatchObject({ CORE_WRITER, SPOT_BALANCE, TOKEN_INFO, CORE_USER_EXISTS, WEI_PER_HYPE_UNIT })
})
