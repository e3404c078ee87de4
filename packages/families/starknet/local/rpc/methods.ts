// Lists all methods of the JSON-RPC by name.
import { blockMethods } from './block-methods.ts'
import type { Context } from './context.ts'
import { eventMethods } from './event-methods.ts'
import { namedParams } from './params.ts'
import { methodNotFound } from './rpc-error.ts'
import type { Answer } from './rpc-server.ts'
import { stateMethods } from './state-methods.ts'
import { timeMethods } from './time-methods.ts'
import { transactionMethods } from './transaction-methods.ts'

export function createMethods(context: Context): Answer {
  const methods = new Map(
    Object.entries({
      ...blockMethods(context),
      ...stateMethods(context),
      ...transactionMethods(context),
      ...eventMethods(context),
      ...timeMethods(context),
    }),
  )
  return (name, params) => {
    const method = methods.get(name)
    if (method === undefined) throw methodNotFound()
    context.node.catchUp()
    return method.answer(namedParams(params, method.params))
  }
}
