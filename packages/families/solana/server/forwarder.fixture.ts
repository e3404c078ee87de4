/** Makes a program of somebody else that calls ours: a redeem of SOL as an inner instruction, in instructions of sBPF v0. */
import { AccountRole, type Address, type Instruction } from '@solana/kit'
import { writeProgram } from '../contract/linker/write-program.ts'

/** The accounts are those of a redeem and its program. The lengths of their data decide where the loader writes them. */
const accounts = [
  { size: 168, flags: 1 << 8 },
  { size: 0, flags: 1 << 8 },
  { size: 36, flags: 1 << 16 },
] as const
const REDEEM_BYTES = 40
const CALLED_ACCOUNTS = 2

const at = { address: 8, owner: 40, lamports: 72, data: 88 } as const
/** The loader leaves this many bytes for growth behind the data. */
const GROWTH = 10_240

const stack = { call: -40, metas: -80, infos: -256 } as const
const META = 16
const INFO = 56

export function createForwarder(): Buffer {
  const code: Buffer[] = []
  const emit = (opcode: number, { to = 0, from = 0, offset = 0, value = 0 }) => {
    const bytes = Buffer.alloc(8)
    bytes[0] = opcode
    bytes[1] = to | (from << 4)
    bytes.writeInt16LE(offset, 2)
    bytes.writeInt32LE(value, 4)
    code.push(bytes)
  }
  const set = (to: number, value: number) => emit(0xb7, { to, value })
  const copy = (to: number, from: number) => emit(0xbf, { to, from })
  const add = (to: number, value: number) => emit(0x07, { to, value })
  const [scratch, input, frame] = [2, 6, 10]
  const store = (offset: number) => emit(0x7b, { to: frame, from: scratch, offset })
  const storeValue = (offset: number, value: number) => {
    set(scratch, value)
    store(offset)
  }
  const storePointer = (offset: number, base: number, distance: number) => {
    copy(scratch, base)
    add(scratch, distance)
    store(offset)
  }

  copy(input, 1)
  const starts = startsOf()
  for (const [i, { size, flags }] of accounts.entries()) {
    const [start, info] = [starts[i] ?? 0, stack.infos + i * INFO]
    storePointer(info, input, start + at.address)
    storePointer(info + 8, input, start + at.lamports)
    storeValue(info + 16, size)
    storePointer(info + 24, input, start + at.data)
    storePointer(info + 32, input, start + at.owner)
    storeValue(info + 40, -1)
    storeValue(info + 48, flags)
    if (i >= CALLED_ACCOUNTS) continue
    storePointer(stack.metas + i * META, input, start + at.address)
    storeValue(stack.metas + i * META + 8, 1)
  }
  storePointer(stack.call, input, (starts[CALLED_ACCOUNTS] ?? 0) + at.address)
  storePointer(stack.call + 8, frame, stack.metas)
  storeValue(stack.call + 16, CALLED_ACCOUNTS)
  storePointer(stack.call + 24, input, (starts.at(-1) ?? 0) + 8)
  storeValue(stack.call + 32, REDEEM_BYTES)
  for (const [register, distance] of [
    [1, stack.call],
    [2, stack.infos],
  ] as const) {
    copy(register, frame)
    add(register, distance)
  }
  set(3, accounts.length)
  set(4, 0)
  set(5, 0)
  const call = code.length * 8
  emit(0x85, { from: 0, value: -1 })
  emit(0x95, {})
  return writeProgram({
    code: Buffer.concat(code),
    constants: Buffer.alloc(0),
    entry: 0,
    systemCalls: [{ at: call, name: 'sol_invoke_signed_c' }],
  })
}

function startsOf(): readonly number[] {
  const starts = [8]
  for (const { size } of accounts) starts.push(Math.ceil(((starts.at(-1) ?? 0) + at.data + size + GROWTH) / 8) * 8 + 8)
  return starts
}

export function forwarded(forwarder: Address, redeem: Instruction): Instruction {
  return {
    programAddress: forwarder,
    accounts: [...(redeem.accounts ?? []), { address: redeem.programAddress, role: AccountRole.READONLY }],
    ...(redeem.data !== undefined && { data: redeem.data }),
  }
}
