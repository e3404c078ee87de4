/** Code that must serve all families may not name one: this finds identifiers and texts, not comments. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** Families and their chains have these names. */
const NAMES =
  /[Bb]itcoin|[Ll]itecoin|[Ee]vm|EVM|(?<![A-Za-z])tron(?![a-z])|Tron|[Hh]yper[Cc]ore|[Ss]olana|[Ss]tarknet|(?<![A-Za-z])sui(?![a-z])|Sui(?![a-z])|[Xx]rpl|XRPL/
const MAY_NAME =
  /^packages\/(families|web|sdk\/src\/(families|wallets))\/|^packages\/protocol\/registry\/(asset-icons|currencies)\.ts$|\.(test|fixture|conformance)\.ts$|\/(testing|simulation|node_modules|dist)\//

/** These texts may name a family, for the given reason. */
const EXCEPTIONS: readonly { readonly file: string; readonly text: RegExp; readonly why: string }[] = [
  { file: 'packages/keys/stark.ts', text: /Starknet/, why: 'the curve is used by nothing else, and its rules are that chain’s' },
  { file: 'packages/protocol/funding/calls.ts', text: /^core_to_evm_transfer$/, why: 'a field of the HTTP interface' },
  { file: 'packages/protocol/wire/asset.ts', text: /e\.g\. evm:1$/, why: 'an example in the API documentation' },
  { file: 'packages/protocol/wire/chain.ts', text: /e\.g\. evm:1$/, why: 'an example in the API documentation' },
  { file: 'packages/protocol/wire/schema.ts', text: /^e\.g\. evm:htlc_erc20$/, why: 'an example in the API documentation' },
  {
    file: 'packages/service/api/routes/orders.ts',
    text: /On Bitcoin-family chains an owner may be/,
    why: 'API documentation for users of those chains',
  },
]

/** Each entry is `file:line: text`. */
export function findFamilyNames(repository: string): readonly string[] {
  return ['packages']
    .filter((folder) => existsSync(join(repository, folder)))
    .flatMap((folder) => readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.ts') && !MAY_NAME.test(file))
    .toSorted()
    .flatMap((file) => namesIn(file, readFileSync(join(repository, file), 'utf8')))
}

function namesIn(file: string, text: string): readonly string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const isName =
      ts.isIdentifier(node) ||
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node)
    if (isName && NAMES.test(node.text) && !isException(file, node.text))
      found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.text}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

function isException(file: string, text: string): boolean {
  return EXCEPTIONS.some((exception) => exception.file === file && exception.text.test(text))
}
