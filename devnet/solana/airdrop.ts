// Pays SOL from an account that has plenty from the first block on, by transactions like everybody else's.
import { randomBytes } from 'node:crypto'
import { type Address, createNoopSigner, type Instruction, lamports } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { createLocalSigner, signTransaction } from './local-signer.ts'
import type { SolanaNode } from './solana-node.ts'

/** In lamports: half a billion SOL, like the supply of the main network. */
const SUPPLY = 500_000_000_000_000_000n
const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111' as Address
const SET_UNIT_LIMIT = 2
const UNIT_LIMIT = 10_000

/** Returns the signature of the transaction, which waits for a block. */
export function createAirdrop(node: SolanaNode): (address: Address, amount: bigint) => string {
  const payer = createLocalSigner(randomBytes(32))
  const { svm, ledger } = node
  const balance = lamports(SUPPLY)
  svm.setAccount(payer.address, {
    address: payer.address,
    data: new Uint8Array(0),
    executable: false,
    lamports: balance,
    programAddress: SYSTEM_PROGRAM,
    space: 0n,
  })
  let count = 0

  return (address, amount) => {
    count += 1
    const block = ledger.tip('processed')
    const transfer = getTransferSolInstruction({ source: createNoopSigner(payer.address), destination: address, amount })
    const lifetime = { blockhash: block.blockhash, lastValidBlockHeight: node.lastValidHeight(block) }
    const wire = signTransaction([unitLimit(UNIT_LIMIT + count), transfer], [payer], lifetime)
    node.broadcast(wire)
    return wire.signature
  }
}

/** A limit of its own makes every transaction differ from the others, so none is a duplicate. */
function unitLimit(units: number): Instruction {
  const data = Buffer.alloc(5)
  data[0] = SET_UNIT_LIMIT
  data.writeUInt32LE(units, 1)
  return { programAddress: COMPUTE_BUDGET, accounts: [], data: Uint8Array.from(data) }
}
