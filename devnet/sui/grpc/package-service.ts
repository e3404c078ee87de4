// sui.rpc.v2.MovePackageService: the bytecode of packages.
import type { GrpcTypes } from '@mysten/sui/grpc'
import type { SuiNode } from '../chain/node.ts'
import { addressParam } from './ledger-service.ts'
import { packageMessage } from './object-message.ts'
import { GrpcError } from './status.ts'

export function packageService({ store }: SuiNode) {
  return {
    GetPackage({ packageId }: GrpcTypes.GetPackageRequest): GrpcTypes.GetPackageResponse {
      const id = addressParam('package_id', packageId)
      const found = store.get(id)
      if (found?.data.kind !== 'package') throw new GrpcError('NOT_FOUND', `Package ${id} not found`)
      return { package: packageMessage(id, found.version, found.data) }
    },
  }
}
