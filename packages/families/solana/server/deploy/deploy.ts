/**
 * Deploys the program through the upgradeable loader, verifies its bytes, and gives the upgrade authority up. One program serves SOL and all tokens.
 *
 * Addresses follow from the deployer's key and the program's hash, and every step follows from what is on the chain: after an interruption, run it again.
 */
import type { Address } from '@solana/kit'
import { sendUntilConfirmed } from '@tandem/chain-kit/contract/send-until-confirmed.ts'
import type { DeployedHtlc, DeployRequest } from '@tandem/chain-kit/port/abilities/deploy.ts'
import { ChainFailure } from '@tandem/chain-kit/port/failure.ts'
import { formatUnits } from '@tandem/protocol/amount.ts'
import { htlcProgram } from '../../contract/artifacts/htlc.ts'
import { accountOf } from '../../terms/address.ts'
import { createContracts } from '../../terms/htlc.ts'
import { connectNode } from '../nodes/connect-node.ts'
import type { SolanaNode } from '../nodes/node.ts'
import { verifyNode } from '../nodes/verify-node.ts'
import {
  deployBuffer,
  giveUpAuthority,
  loaderProgram,
  PROGRAM_DATA_HEADER,
  PROGRAM_SIZE,
  programDataAddress,
  type SeededAccount,
  seededAccount,
} from './loader.ts'
import { createOwnTransactions, MAX_FEE, type OwnTransactions } from './own-transactions.ts'
import { verifyMint } from './verify-mint.ts'
import { findProgram } from './verify-program.ts'
import { createBuffer, createLoaderAccount, missingPieces, pieceCount } from './write-buffer.ts'

const SOL_DECIMALS = 9
const code = Uint8Array.from(Buffer.from(htlcProgram.base64, 'base64'))
const codeHash = `0x${htlcProgram.sha256}`
/** A seed has at most 32 bytes. */
const version = htlcProgram.sha256.slice(0, 20)
/** To block one of these addresses costs a stranger the rent of an account. */
const MAX_BLOCKED_ADDRESSES = 20

type Deployment = {
  readonly request: DeployRequest
  readonly node: SolanaNode
  readonly deployer: Address
  readonly program: SeededAccount
  readonly buffer: SeededAccount
  readonly own: OwnTransactions
}

export async function deployHtlc(request: DeployRequest): Promise<DeployedHtlc> {
  const node = connectNode(request.chain, request)
  try {
    await verifyNode(request.chain, node, createContracts(request.chain, []))
    return await deployProgram(request, node)
  } finally {
    node.close()
  }
}

export async function deployProgram(request: DeployRequest, node: SolanaNode): Promise<DeployedHtlc> {
  const { asset, token, onProgress, dryRun } = request
  if (token !== null) await verifyMint(node, asset, token)
  const shared = await findShared(request, node)
  if (shared !== null) {
    onProgress(`the program at ${shared} serves ${asset.id} too, and its code is ours`)
    return { htlc: shared, tx: null, codeHash }
  }

  const deployer = accountOf(request.signer)
  const program = await chooseAddress(node, deployer)
  const buffer = await seededAccount(deployer, `buffer-${version}`)
  const own = createOwnTransactions(node, request.signer, deployer)
  const deployment = { request, node, deployer, program, buffer, own }
  const found = await findProgram(node, program.address)
  if (found !== null && found.authority !== null && found.authority !== deployer)
    throw new ChainFailure('would-fail', `the program at ${program.address} is ours, but ${found.authority} can still change it`)
  if (found !== null && found.authority === null) {
    onProgress(`the program is at ${program.address} already; verified: the SHA-256 of its code is ${htlcProgram.sha256}`)
    return { htlc: program.address, tx: null, codeHash }
  }

  if (found === null) await requireFunds(deployment)
  if (dryRun) {
    onProgress(`the program would be deployed at ${program.address}`)
    return { htlc: program.address, tx: null, codeHash }
  }
  if (found === null) await deploy(deployment)
  await makeFinal(deployment)
  const tx = own.signatureOf('deploy') ?? own.signatureOf('give up')
  onProgress(
    `deployed at ${program.address} in ${tx}; verified: the SHA-256 of its code is ${htlcProgram.sha256}, and nobody can change it`,
  )
  return { htlc: program.address, tx, codeHash }
}

/** The loader cannot deploy if the account for the code has lamports, and anyone can send some. Then the next address is used. */
async function chooseAddress(node: SolanaNode, deployer: Address): Promise<SeededAccount> {
  for (let number = 0; number < MAX_BLOCKED_ADDRESSES; number += 1) {
    const program = await seededAccount(deployer, `htlc-${version}-${number}`)
    const [data = null] = await node.accounts([await programDataAddress(program.address)])
    if (data === null || data.owner === loaderProgram) return program
  }
  throw new ChainFailure('would-fail', 'somebody sent lamports to the addresses of this key, which blocks them: use another key')
}

/** The program may be listed for another asset of the chain. Only this version counts. */
async function findShared({ listedForOthers = [] }: DeployRequest, node: SolanaNode): Promise<string | null> {
  for (const program of listedForOthers) {
    try {
      const found = await findProgram(node, program as Address)
      if (found !== null && found.authority === null) return program
    } catch (error) {
      // The program is of another version, which `verifyListed` reports for its own asset.
      if (!(error instanceof ChainFailure) || error.kind !== 'would-fail') throw error
    }
  }
  return null
}

async function deploy(deployment: Deployment): Promise<void> {
  const { request, node, deployer, program, buffer, own } = deployment
  const { chain, onProgress } = request
  const missing = () => missingPieces(node, buffer, code)
  if ((await missing()) === null) {
    onProgress(`creating a buffer at ${buffer.address}`)
    const send = async () => own.send('buffer', await createBuffer(node, buffer, code))
    await reach(deployment, { what: 'creating the buffer', isReached: async () => (await missing()) !== null, send, confirmations: 1 })
  }
  let said = ''
  const say = (what: string) => {
    if (what !== said) onProgress(what)
    said = what
  }
  const isWritten = async () => {
    const left = (await missing())?.length ?? 0
    say(`${pieceCount(code) - left} of ${pieceCount(code)} pieces of the program are in the buffer`)
    return left === 0
  }
  const write = async () => {
    for (const { offset, instruction } of (await missing()) ?? []) await own.send(`piece ${offset}`, [instruction])
  }
  // No reorg reaches below this depth. A piece that is undone later would be missing in the program.
  await reach(deployment, { what: 'writing the buffer', isReached: isWritten, send: write, confirmations: chain.finalityBlocks })

  onProgress(`deploying at ${program.address}`)
  const isDeployed = async () => (await findProgram(node, program.address)) !== null
  const send = async () =>
    own.send('deploy', [
      ...(await createLoaderAccount(node, program, PROGRAM_SIZE)),
      await deployBuffer(program.address, buffer.address, deployer, code.length),
    ])
  await reach(deployment, { what: 'deploying the program', isReached: isDeployed, send, confirmations: chain.requiredConfirmations })
}

/** Call this only after `findProgram` verified the bytes: afterwards nobody can correct them. */
async function makeFinal(deployment: Deployment): Promise<void> {
  const { request, node, deployer, program, own } = deployment
  request.onProgress('its code is verified: giving the upgrade authority up')
  const isFinal = async () => (await findProgram(node, program.address))?.authority === null
  const send = async () => own.send('give up', [await giveUpAuthority(program.address, deployer)])
  const { requiredConfirmations: confirmations } = request.chain
  await reach(deployment, { what: 'giving the upgrade authority up', isReached: isFinal, send, confirmations })
}

function reach({ request, node }: Deployment, goal: Parameters<typeof sendUntilConfirmed>[2]): Promise<void> {
  const tip = async () => {
    const block = await node.block('latest')
    if (block === null) throw new ChainFailure('unreachable', 'the node has no block')
    return block
  }
  return sendUntilConfirmed(request.chain, tip, goal, request.onProgress)
}

/** The check comes before anything is sent. The rent of the buffer becomes part of that of the program. */
async function requireFunds({ request, node, deployer, buffer }: Deployment): Promise<void> {
  const rent = (await node.rentExempt(PROGRAM_SIZE)) + (await node.rentExempt(PROGRAM_DATA_HEADER + code.length))
  const fees = BigInt(pieceCount(code) + 3) * MAX_FEE
  const [paid, balance] = [await node.balance(buffer.address), await node.balance(deployer)]
  const cost = rent + fees - (paid < rent ? paid : rent)
  const text = `deploying the program costs up to ${inSol(cost)} SOL; ${deployer} holds ${inSol(balance)} SOL on ${request.chain.displayName}`
  if (balance >= cost || request.dryRun) request.onProgress(text)
  else throw new ChainFailure('would-fail', `${text}: send it ${inSol(cost - balance)} SOL or more, and run this again`)
}

function inSol(lamports: bigint): string {
  return formatUnits(lamports, SOL_DECIMALS)
}
