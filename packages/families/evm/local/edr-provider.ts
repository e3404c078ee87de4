// Runs one in-process EVM chain: the EDR engine behind a JSON-RPC request function.
import {
  ContractDecoder,
  EdrContext,
  GENERIC_CHAIN_TYPE,
  genericChainProviderFactory,
  l1GenesisState,
  l1HardforkFromString,
  MineOrdering,
  PRAGUE,
  type SubscriptionEvent,
} from '@nomicfoundation/edr'
import { type Address, type Hex, hexToBytes } from 'viem'

export interface JsonRpcCall {
  readonly method: string
  readonly params?: readonly unknown[] | undefined
}

export interface EdrProvider {
  request(call: JsonRpcCall): Promise<unknown>
  /** The result is JSON text, so a server passes it on without parsing it. */
  requestText(call: JsonRpcCall): Promise<JsonText>
}

export interface EdrProviderOptions {
  readonly chainId: number
  readonly funded: readonly Address[]
  readonly balance: bigint
  /** True mines a block per transaction; false leaves mining to evm_mine. */
  readonly autoMine: boolean
  /** By default the newest one that chains have. */
  readonly hardfork?: string
  readonly onSubscription?: (event: SubscriptionEvent) => void
}

export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export class EdrRequestError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(error: { code: number; message: string; data?: unknown }) {
    super(error.message)
    this.name = 'EdrRequestError'
    this.code = error.code
    this.data = revertData(error.data)
  }
}

const blockGasLimit = 60_000_000n
const defaultTransactionGasLimit = 15_000_000n
const initialBaseFeePerGas = 1_000_000_000n
const coinbase = new Uint8Array(20).fill(0xc0)

/** EDR allows one context per process. */
let sharedContext: Promise<EdrContext> | undefined

export async function createEdrProvider(options: EdrProviderOptions): Promise<EdrProvider> {
  sharedContext ??= createContext()
  const context = await sharedContext
  const { hardfork = PRAGUE } = options
  const provider = await context.createProvider(
    GENERIC_CHAIN_TYPE,
    {
      chainId: BigInt(options.chainId),
      networkId: BigInt(options.chainId),
      hardfork,
      coinbase,
      network: { genesisBlockGasLimit: blockGasLimit },
      genesisState: [
        ...l1GenesisState(l1HardforkFromString(hardfork)),
        ...options.funded.map((address) => ({ address: hexToBytes(address), balance: options.balance })),
      ],
      mining: { autoMine: options.autoMine, blockGasLimit, memPool: { order: MineOrdering.Priority } },
      // Blocks mined on demand must not push the chain's clock ahead of the wall clock.
      allowBlocksWithSameTimestamp: true,
      allowUnlimitedContractSize: false,
      bailOnCallFailure: true,
      // A real node returns the hash of a transaction that will revert; the receipt shows the revert.
      bailOnTransactionFailure: false,
      defaultTransactionGasLimit,
      initialBaseFeePerGas,
      minGasPrice: 0n,
      observability: {},
      ownedAccounts: [],
      precompileOverrides: [],
    },
    { enable: false, decodeConsoleLogInputsCallback: () => [], printLineCallback: () => undefined },
    { subscriptionCallback: options.onSubscription ?? (() => undefined) },
    ContractDecoder.withContracts({}),
  )

  async function answerOf({ method, params }: JsonRpcCall): Promise<unknown> {
    return (await provider.handleRequest(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? [] }))).data
  }

  return {
    request: async (call) => resultOf(await answerOf(call)),
    async requestText(call) {
      const answer = await answerOf(call)
      const isPlainResult = typeof answer === 'string' && answer.startsWith(RESULT_START)
      return new JsonText(isPlainResult ? answer.slice(RESULT_START.length, -1) : JSON.stringify(resultOf(answer)))
    },
  }
}

/** EDR's text of an answer without an error begins like this, and ends with the brace of the answer. */
const RESULT_START = '{"result":'

/** EDR answers with a text, or with an object when the text would be too long. */
function resultOf(data: unknown): unknown {
  const answer = typeof data === 'string' ? JSON.parse(data) : data
  if (answer.error !== undefined) throw new EdrRequestError(answer.error)
  return answer.result
}

async function createContext(): Promise<EdrContext> {
  const context = new EdrContext()
  await context.registerProviderFactory(GENERIC_CHAIN_TYPE, genericChainProviderFactory())
  return context
}

/** EDR wraps the revert data in an object; nodes answer it bare, and clients decode errors from it. */
function revertData(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'data' in data ? (data.data as Hex) : data
}
