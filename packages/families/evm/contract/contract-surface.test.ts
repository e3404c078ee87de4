// Tests that the contracts have no function and no instruction to own, upgrade, pause or drain them.
import { type Abi, type Hex, hexToBytes } from 'viem'
import { describe, expect, it } from 'vitest'
import { depositAccount } from './artifacts/deposit-account.ts'
import { distributor } from './artifacts/distributor.ts'
import { htlcErc20 } from './artifacts/htlc-erc20.ts'
import { htlcNative } from './artifacts/htlc-native.ts'
import { htlcTrc20 } from './artifacts/htlc-trc20.ts'
import { tronDepositAccount } from './artifacts/tron-deposit-account.ts'

const shared = [
  'eip712Domain()',
  'initiate(address,uint256,uint256,bytes32)',
  'initiateOnBehalf(address,address,uint256,uint256,bytes32)',
  'initiatedAt(bytes32)',
  'instantRefund(address,address,uint256,uint256,bytes32,bytes)',
  'orderId(address,address,uint256,uint256,bytes32)',
  'redeem(address,address,uint256,uint256,bytes32)',
  'redeemBatch(address,tuple[])',
  'refund(address,address,uint256,uint256,bytes32)',
  'revoke(address,uint256,uint256,bytes32)',
  'token()',
]

const deposits = [
  'balancesOfEach(address[])',
  'depositAddressFrom(tuple)',
  'initiateDeposit(tuple)',
  'presentAccountTask()',
  'reclaimDeposited(tuple,address)',
]

const forbidden = new Map([
  [0xf0, 'CREATE'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xff, 'SELFDESTRUCT'],
  [0x5c, 'TLOAD'],
  [0x5d, 'TSTORE'],
  [0x32, 'ORIGIN'],
])

/** The data of PUSH are skipped. Nothing follows the code, because it has no metadata. */
function instructions(code: Hex): number[] {
  const bytes = hexToBytes(code)
  const found: number[] = []
  for (let position = 0; position < bytes.length; position += 1) {
    const instruction = bytes[position] ?? 0
    found.push(instruction)
    const [firstPush, lastPush] = [0x60, 0x7f]
    if (instruction >= firstPush && instruction <= lastPush) position += instruction - firstPush + 1
  }
  return found
}

const ofType = (abi: Abi, type: string) => abi.filter((item) => item.type === type)
const signatures = (abi: Abi) =>
  abi.flatMap((item) => (item.type === 'function' ? [`${item.name}(${item.inputs.map((input) => input.type).join()})`] : [])).sort()

const signed = 'initiateWithSignature(address,address,uint256,uint256,bytes32,bytes)'
const withGas = 'redeemOfferingCoinForGas(address,address,uint256,uint256,bytes32)'
const withoutAllowance = [
  'initiateByAuthorization(address,address,uint256,uint256,bytes32,tuple)',
  'initiateByPermit(address,address,uint256,uint256,bytes32,tuple)',
  'initiateBySignatureTransfer(address,address,uint256,uint256,bytes32,tuple)',
]

describe.each([
  [
    'ERC-20',
    htlcErc20,
    [...shared, ...deposits, signed, withGas, ...withoutAllowance].sort(),
    1,
    depositAccount,
    ['CREATE2', 'TLOAD', 'TSTORE', 'ORIGIN'],
  ],
  [
    'TRC-20',
    htlcTrc20,
    [...shared, ...deposits, signed, withGas, 'tryPayout(address,uint256)'].sort(),
    1,
    tronDepositAccount,
    ['CREATE2', 'ORIGIN'],
  ],
  ['native', htlcNative, [...shared, ...deposits].sort(), 3, depositAccount, ['CREATE2', 'TLOAD', 'TSTORE', 'ORIGIN']],
] as const)('%s HTLC', (kind, artifact, functions, payables, account, used) => {
  it('has only the functions that orders need: no owner, no upgrade, no initialiser, no pause', () => {
    expect(signatures(artifact.abi)).toEqual(functions)
  })

  it('takes native coin only where an order accounts for it, or the redeemer gets it at once', () => {
    // Where coin is locked, accounts at deposit addresses pay by a plain transfer, and nobody else can.
    expect(ofType(artifact.abi, 'receive')).toHaveLength(kind === 'native' ? 1 : 0)
    expect(ofType(artifact.abi, 'fallback')).toEqual([])
    const payable = artifact.abi.filter((item) => 'stateMutability' in item && item.stateMutability === 'payable')
    expect(payable).toHaveLength(payables)
  })

  it('has different errors for a repeated and for a failed order', () => {
    const errors = ofType(artifact.abi, 'error').map((item) => ('name' in item ? item.name : ''))
    expect(errors).toContain('HTLC__DuplicateOrder')
    expect(errors.every((name) => name?.startsWith('HTLC__'))).toBe(true)
  })

  it('creates the accounts of deposits and nothing else, has no DELEGATECALL and no SELFDESTRUCT, and asks for the origin only there', () => {
    const [own, ...rest] = artifact.deployedBytecode.split(account.bytecode.slice(2))
    expect(rest).toEqual([''])
    expect(rareInstructions(own as Hex)).toEqual([...used])
    // One is for initiations, and one for returns.
    expect(instructions(own as Hex).filter((instruction) => instruction === CREATE2)).toHaveLength(2)
    expect(instructions(own as Hex).filter((instruction) => instruction === ORIGIN).length).toBeLessThanOrEqual(2)
  })

  it('has an account for deposits that has SELFDESTRUCT, and neither DELEGATECALL nor code that stays', () => {
    expect(rareInstructions(account.bytecode)).toEqual(['SELFDESTRUCT'])
    expect(account.deployedBytecode.length).toBeLessThan(40)
  })

  it('fits into the code size that chains allow', () => {
    expect((artifact.deployedBytecode.length - 2) / 2).toBeLessThan(24_576)
  })
})

const CREATE2 = 0xf5
const ORIGIN = 0x32

function rareInstructions(code: Hex): string[] {
  const found = new Set(instructions(code))
  const call = 0xf1
  expect(found).toContain(call)
  return [...forbidden].filter(([instruction]) => found.has(instruction)).map(([, name]) => name)
}

it('the distributor can only be funded, claimed from and read: nobody can take money out in another way', () => {
  expect(signatures(distributor.abi)).toEqual([
    'claim(address,address,uint256,bytes)',
    'eip712Domain()',
    'paid(address,address)',
    'signer()',
  ])
  const payable = distributor.abi.filter((item) => 'stateMutability' in item && item.stateMutability === 'payable')
  expect(payable.map(({ type }) => type)).toEqual(['receive'])
  expect(rareInstructions(distributor.deployedBytecode)).toEqual([])
})
