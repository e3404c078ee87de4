/** Signs spends of many deposits in a worker thread: each input takes milliseconds, and its hash covers all inputs. */
import type { Signer } from '@tandem/keys/key.ts'
import { onlySigner } from '@tandem/keys/lent-signers.ts'
import type { Secp256k1RawSigner } from '@tandem/keys/raw-signer.ts'
import { signingJobsOf } from '@tandem/keys/sign-in-worker.ts'
import { type LeafInput, type SignedTransaction, signLeafSpends } from '../../terms/wallet/sign.ts'
import type { TransactionOutput } from '../script/transaction.ts'
import { bitcoinSigning } from '../signing.ts'

export const jobs = {
  leafSpends: (signers: readonly Secp256k1RawSigner[], inputs: readonly LeafInput[], output: TransactionOutput): SignedTransaction =>
    signLeafSpends(onlySigner(signers), inputs, output),
}

const signingJobs = signingJobsOf<typeof jobs>(import.meta.url, 'urgent', { family: { name: 'bitcoin' }, names: Object.keys(jobs) })

/** Fewer inputs are signed on this thread: starting another would take longer. */
const MIN_INPUTS_FOR_WORKER = 4

export async function signSpend(signer: Signer, inputs: readonly LeafInput[], output: TransactionOutput): Promise<SignedTransaction> {
  if (inputs.length < MIN_INPUTS_FOR_WORKER) return bitcoinSigning.sign('leafSpends', signer, inputs, output)
  const plain = inputs.map(({ outpoint, amount, script, leaf, items, timelock }) => ({ outpoint, amount, script, leaf, items, timelock }))
  return signingJobs.sign('leafSpends', [signer], [plain, output])
}
