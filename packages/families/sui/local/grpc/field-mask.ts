// Applies read masks: the fields of a message that an answer contains. https://google.aip.dev/161
import { invalidArgument } from './status.ts'

/** The generated types of the SDK have this form. */
export interface MessageInfo {
  readonly typeName: string
  readonly fields: readonly FieldInfo[]
}

type FieldInfo = {
  readonly name: string
  readonly localName: string
  readonly kind: string
  readonly oneof?: string | undefined
}

type Message = Record<string, unknown>
type OneOf = { readonly oneofKind?: string } & Message

/** The keys are names of fields; null stands for the whole field. */
interface MaskTree extends ReadonlyMap<string, MaskTree | null> {}
type GrowingTree = Map<string, GrowingTree | null>

const EVERYTHING = '*'

export function masked<T extends object>(info: MessageInfo & { create(value?: never): T }, message: T, paths: readonly string[]): T {
  if (paths.includes(EVERYTHING)) return message
  const result = info.create()
  copyFields(info, message as Message, result as Message, treeOf(paths))
  return result
}

function treeOf(paths: readonly string[]): MaskTree {
  const tree: GrowingTree = new Map()
  for (const path of paths) addPath(tree, path.split('.'))
  return tree
}

function addPath(tree: GrowingTree, [name = '', ...rest]: readonly string[]): void {
  const known = tree.get(name)
  if (rest.length === 0 || known === null) {
    tree.set(name, null)
    return
  }
  const subtree: GrowingTree = known ?? new Map()
  tree.set(name, subtree)
  addPath(subtree, rest)
}

function copyFields(info: MessageInfo, from: Message, to: Message, tree: MaskTree): void {
  for (const [name, subtree] of tree) {
    const field = info.fields.find((known) => known.name === name)
    if (field === undefined) throw invalidArgument(`invalid read_mask path: ${name}`)
    const value = fieldValue(field, from)
    const type = subtree === null ? null : messageType(field)
    if (subtree !== null && type === null) throw invalidArgument(`invalid read_mask path: ${name}`)
    if (value === undefined) continue
    setValue(field, to, subtree === null || type === null ? value : maskedValue(type, value, subtree))
  }
}

function maskedValue(type: MessageInfo & { create(): object }, value: unknown, tree: MaskTree): unknown {
  if (Array.isArray(value)) return value.map((item) => maskedValue(type, item, tree))
  const result = type.create() as Message
  copyFields(type, value as Message, result, tree)
  return result
}

function messageType(field: FieldInfo): (MessageInfo & { create(): object }) | null {
  if (field.kind !== 'message') return null
  return (field as unknown as { T(): MessageInfo & { create(): object } }).T()
}

function fieldValue({ oneof, localName }: FieldInfo, message: Message): unknown {
  if (oneof === undefined) return message[localName]
  const group = message[oneof] as OneOf
  return group.oneofKind === localName ? group[localName] : undefined
}

function setValue({ oneof, localName }: FieldInfo, message: Message, value: unknown): void {
  if (oneof === undefined) message[localName] = value
  else message[oneof] = { oneofKind: localName, [localName]: value }
}
