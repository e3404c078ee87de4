// Publishes our package on the local chain and makes its registries, by ordinary transactions.
import { htlcPackage } from '../contract/artifacts/htlc.ts'
import type { ExecutedTransaction } from './chain/checkpoint.ts'
import { USDC_TYPE } from './chain/genesis.ts'
import type { LocalSender } from './local-sender.ts'
import { HTLC } from './move/htlc-source.ts'
import type { SuiObject } from './objects/object.ts'
import { SUI_TYPE } from './objects/types.ts'

export type LocalRegistry = { readonly id: string; readonly initialSharedVersion: string; readonly coinType: string }

export type LocalContracts = { readonly packageId: string; readonly sui: LocalRegistry; readonly usdc: LocalRegistry }

export async function deployLocalContracts(deployer: LocalSender): Promise<LocalContracts> {
  const packageId = await publishHtlc(deployer)
  return {
    packageId,
    sui: await createRegistry(deployer, packageId, SUI_TYPE),
    usdc: await createRegistry(deployer, packageId, USDC_TYPE),
  }
}

export async function publishHtlc(deployer: LocalSender): Promise<string> {
  const published = await deployer.execute((tx) => {
    const capability = tx.publish({ modules: [htlcPackage.module], dependencies: [...htlcPackage.dependencies] })
    tx.moveCall({ target: '0x2::package::make_immutable', arguments: [capability] })
  })
  return created(published, ({ data }) => data.kind === 'package').id
}

export async function createRegistry(deployer: LocalSender, packageId: string, coinType: string): Promise<LocalRegistry> {
  const executed = await deployer.execute((tx) =>
    tx.moveCall({ target: `${packageId}::${HTLC}::create_registry`, typeArguments: [coinType] }),
  )
  const { id, version } = created(executed, ({ owner }) => owner.kind === 'shared')
  return { id, initialSharedVersion: String(version), coinType }
}

function created({ effects }: ExecutedTransaction, isWanted: (object: SuiObject) => boolean): SuiObject {
  const found = effects.changed.find(({ before, after }) => before === null && after !== null && isWanted(after))?.after
  if (found === null || found === undefined) throw new Error('the transaction did not make the object')
  return found
}
