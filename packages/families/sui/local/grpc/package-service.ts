// Answers sui.rpc.v2.MovePackageService: packages and the signatures of their functions.
import { GrpcTypes } from '@mysten/sui/grpc'
import type { SuiNode } from '../chain/node.ts'
import type { MoveFunction, Parameter } from '../move/function.ts'
import { findFunction } from '../move/packages.ts'
import { FRAMEWORK } from '../objects/types.ts'
import { addressParam } from './ledger-service.ts'
import { packageMessage } from './object-message.ts'
import { GrpcError } from './status.ts'

const { OpenSignature_Reference: Reference, OpenSignatureBody_Type: BodyType } = GrpcTypes

const references = { reference: Reference.IMMUTABLE, 'mutable reference': Reference.MUTABLE } as const
const primitives: Readonly<Record<string, GrpcTypes.OpenSignatureBody_Type>> = {
  address: BodyType.ADDRESS,
  bool: BodyType.BOOL,
  u8: BodyType.U8,
  u64: BodyType.U64,
}
const context: Parameter = { pass: 'mutable reference', type: `${FRAMEWORK}::tx_context::TxContext` }

export function packageService({ store }: SuiNode) {
  return {
    GetPackage({ packageId }: GrpcTypes.GetPackageRequest): GrpcTypes.GetPackageResponse {
      const id = addressParam('package_id', packageId)
      const found = store.get(id)
      if (found?.data.kind !== 'package') throw new GrpcError('NOT_FOUND', `Package ${id} not found`)
      return { package: packageMessage(id, found.version, found.data) }
    },
    GetFunction({ packageId, moduleName = '', name = '' }: GrpcTypes.GetFunctionRequest): GrpcTypes.GetFunctionResponse {
      const found = findFunction(store, addressParam('package_id', packageId), moduleName, name)
      if (found === null) throw new GrpcError('NOT_FOUND', `Function ${packageId}::${moduleName}::${name} not found`)
      return { function: functionMessage(name, found) }
    },
  }
}

function functionMessage(name: string, { typeParameters, parameters, returns, takesContext }: MoveFunction): GrpcTypes.FunctionDescriptor {
  return {
    name,
    visibility: GrpcTypes.FunctionDescriptor_Visibility.PUBLIC,
    isEntry: false,
    typeParameters: Array.from({ length: typeParameters }, () => ({ constraints: [] })),
    parameters: [...parameters, ...(takesContext ? [context] : [])].map(signature),
    returns: returns.map((type) => ({ body: body(type) })),
  }
}

function signature({ pass, type }: Parameter): GrpcTypes.OpenSignature {
  return { ...(pass !== 'value' && { reference: references[pass] }), body: body(type) }
}

/** The type is canonical, and `$0` in it is the first type argument. */
function body(type: string): GrpcTypes.OpenSignatureBody {
  const primitive = primitives[type]
  if (primitive !== undefined) return { type: primitive, typeParameterInstantiation: [] }
  if (type.startsWith('$')) return { type: BodyType.TYPE_PARAMETER, typeParameter: Number(type.slice(1)), typeParameterInstantiation: [] }
  // No type here has more than one argument.
  const [, outer = type, inner] = /^([^<]+)<(.+)>$/.exec(type) ?? []
  const typeParameterInstantiation = inner === undefined ? [] : [body(inner)]
  if (outer === 'vector') return { type: BodyType.VECTOR, typeParameterInstantiation }
  return { type: BodyType.DATATYPE, typeName: outer, typeParameterInstantiation }
}
