// The published code of Permit2, and a token whose EIP-2612 and EIP-3009 are those of OpenZeppelin, from packages of the registry.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix } from 'node:path'
import { type Abi, encodeAbiParameters, type Hex, keccak256, numberToHex, size, stringToHex } from 'viem'
import { PERMIT2 } from './one-signature.fixture.ts'
import solc from './solc.ts'

const require = createRequire(import.meta.url)

/** The compiler leaves both variables empty that the constructor sets: the chain id, and the domain separator there. */
const CHAIN_ID_AT = 6_945
const SEPARATOR_AT = 6_983

/**
 * The hash of the code with both variables empty. Three packages have this code, but for them: that of 1inch, the test contract of Permit2 in
 * `@uniswap/v4-periphery`, and the copy of Ethereum's in `@eth-optimism/contracts-bedrock`.
 */
export const PERMIT2_CODE_HASH: Hex = '0x463331fa7a0d5f07488e42c37b461bb56a822145c161a821fbafe7d4e916b546'

/** The code as it is on the chain where it was deployed. */
export function publishedPermit2(deployedOn: bigint): Hex {
  const code = emptyPermit2()
  const [head, middle, end] = [
    bytesOf(code, 0, CHAIN_ID_AT),
    bytesOf(code, CHAIN_ID_AT + 32, SEPARATOR_AT),
    bytesOf(code, SEPARATOR_AT + 32),
  ]
  return `0x${head}${numberToHex(deployedOn, { size: 32 }).slice(2)}${middle}${permit2Separator(deployedOn).slice(2)}${end}`
}

export function emptyPermit2(): Hex {
  const file = join(dirname(require.resolve('@1inch/solidity-utils')), 'permit2.json')
  const { bytecode }: { readonly bytecode: Hex } = JSON.parse(readFileSync(file, 'utf8'))
  return bytecode
}

export function permit2Separator(chainId: bigint): Hex {
  const types = ['bytes32', 'bytes32', 'uint256', 'address'].map((type) => ({ type }))
  const typeHash = keccak256(stringToHex('EIP712Domain(string name,uint256 chainId,address verifyingContract)'))
  return keccak256(encodeAbiParameters(types, [typeHash, keccak256(stringToHex('Permit2')), chainId, PERMIT2]))
}

const bytesOf = (code: Hex, from: number, to = size(code)): string => code.slice(2 + from * 2, 2 + to * 2)

const token = {
  path: 'Token.sol',
  text: `
    pragma solidity 0.8.37;
    import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
    import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
    import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
    contract Token is ERC20Permit, ERC3009 {
      constructor() ERC20("OpenZeppelin", "OZ") ERC20Permit("OpenZeppelin") {}
      function mint(address to, uint256 value) external { _mint(to, value); }
    }`,
} as const

const OPENZEPPELIN = '@openzeppelin/contracts'

type Compiled = { readonly abi: Abi; readonly evm: { readonly bytecode: { readonly object: string } } }
type Output = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: { readonly [token.path]?: { readonly Token?: Compiled } }
}

export function compileOpenZeppelinToken(): { readonly abi: Abi; readonly bytecode: Hex } {
  const folder = dirname(require.resolve('@openzeppelin/contracts/package.json'))
  const sources = new Map<string, string>([[token.path, token.text]])
  for (const [path, text] of sources)
    for (const [, imported = ''] of text.matchAll(/^\s*import [^;]*?"([^"]+)";/gm)) {
      const found = imported.startsWith('.') ? posix.join(posix.dirname(path), imported) : imported
      if (!sources.has(found)) sources.set(found, readFileSync(found.replace(OPENZEPPELIN, folder), 'utf8'))
    }
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries([...sources].map(([path, content]) => [path, { content }])),
    settings: { evmVersion: 'cancun', outputSelection: { [token.path]: { Token: ['abi', 'evm.bytecode.object'] } } },
  }
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input)))
  const compiled = output.contracts?.[token.path]?.Token
  if (compiled === undefined) throw new Error((output.errors ?? []).map(({ formattedMessage }) => formattedMessage).join('\n'))
  return { abi: compiled.abi, bytecode: `0x${compiled.evm.bytecode.object}` }
}
