/** Replaces types that are computed from a library's types by what they are: an app reads plain objects, and needs no library to compile. */
import ts from 'typescript'

/** `file`: declarations of all types in one file. Beside it only the libraries that it imports are read. */
export function plainTypes(file: string): string {
  const program = ts.createProgram([file], {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    types: [],
  })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  if (source === undefined) throw new Error(`there is no ${file}`)
  const flags = ts.NodeBuilderFlags.NoTruncation | ts.NodeBuilderFlags.InTypeAlias | ts.NodeBuilderFlags.MultilineObjectLiterals
  const printer = ts.createPrinter({ removeComments: true })
  const print = (node: ts.TypeNode) => printer.printNode(ts.EmitHint.Unspecified, node, source)
  const edits: { readonly node: ts.Node; readonly text: string }[] = []
  /** Imports, and the generic types that use them. */
  const computed = new Set<string>()
  for (const declaration of source.statements.filter(ts.isImportDeclaration)) {
    const names = declaration.importClause?.namedBindings
    if (names === undefined || !ts.isNamedImports(names)) throw new Error('the types have an import that is not by names')
    const texts = names.elements.flatMap(({ name }) => {
      const symbol = checker.getAliasedSymbol(checker.getSymbolAtLocation(name) as ts.Symbol)
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      // The type of the library is only a name for a primitive type, such as a hex text.
      if (type.flags & ts.TypeFlags.StringLike)
        return [`type ${name.text} = ${print(checker.typeToTypeNode(type, name, flags) as ts.TypeNode)};`]
      computed.add(name.text)
      return []
    })
    if (texts.length === names.elements.length) edits.push({ node: declaration, text: texts.join('\n') })
  }
  const uses = (node: ts.Node): boolean => (ts.isIdentifier(node) && computed.has(node.text)) || ts.forEachChild(node, uses) === true
  const replaced = new Set<string>()
  for (const alias of source.statements.filter(ts.isTypeAliasDeclaration)) {
    if (!uses(alias.type)) continue
    if (alias.typeParameters !== undefined) {
      computed.add(alias.name.text)
      continue
    }
    const node = checker.typeToTypeNode(checker.getTypeAtLocation(alias.name), alias, flags)
    if (node === undefined || uses(node)) throw new Error(`the type ${alias.name.text} cannot be written without a library`)
    edits.push({ node: alias.type, text: print(node) })
    replaced.add(alias.name.text)
  }
  // A schema and its type have the same name, and the package exports only the type.
  for (const statement of source.statements.filter(ts.isVariableStatement))
    if (statement.declarationList.declarations.some(({ name }) => ts.isIdentifier(name) && replaced.has(name.text)))
      edits.push({ node: statement, text: '' })
  return edits
    .toSorted((a, b) => b.node.pos - a.node.pos)
    .reduce((text, { node, text: plain }) => text.slice(0, node.getStart(source)) + plain + text.slice(node.end), source.text)
}
