// Lists all methods by name.
import type { Fields } from '../ledger/metadata.ts'
import { accountMethods } from './account-methods.ts'
import type { ApiVersion, Context } from './context.ts'
import { ledgerMethods } from './ledger-methods.ts'
import { RpcError } from './rpc-error.ts'
import { serverMethods } from './server-methods.ts'
import { transactionMethods } from './transaction-methods.ts'

export type Answer = (request: Fields) => Fields

export function createMethods(context: Context): Answer {
  const methods = new Map(
    Object.entries({
      ...serverMethods(context),
      ...ledgerMethods(context),
      ...accountMethods(context),
      ...transactionMethods(context),
    }),
  )
  return (request) => {
    const { command } = request
    if (typeof command !== 'string') throw new RpcError('missingCommand')
    const method = methods.get(command)
    if (method === undefined) throw new RpcError('unknownCmd')
    context.node.catchUp()
    return method(request, versionOf(request))
  }
}

export function versionOf({ api_version: version = 1 }: Fields): ApiVersion {
  if (version !== 1 && version !== 2) throw new RpcError('invalid_API_version')
  return version
}
